-- An exchange writes a row of each of these tables. What lists, families and workers' tokens are searched by leaves the
-- access tokens of OAuth out: no query asks for those but by id, by digest and by their end.
drop index access_tokens_list;
create index access_tokens_list on access_tokens (organization_id, created_at desc, id desc)
  where kind in ('organization', 'personal');
drop index access_tokens_user;
create index access_tokens_user on access_tokens (organization_id, user_id)
  where kind in ('organization', 'personal') and user_id is not null;
drop index access_tokens_person;
create index access_tokens_person on access_tokens (organization_id, person_id) where kind = 'worker';
drop index access_tokens_grant;

-- A refresh token is found by its digest, and those of a grant go with it: the key serves that as well.
alter table oauth_refresh_tokens drop constraint oauth_refresh_tokens_pkey;
alter table oauth_refresh_tokens add primary key (organization_id, grant_id, digest);
drop index oauth_refresh_tokens_grant;
