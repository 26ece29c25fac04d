-- Secrets of 256 random bits rest as their SHA-256 from here on, without a key. Those that rest under a pepper match
-- nothing any more: they end here.
alter table access_tokens no force row level security;
alter table oauth_codes no force row level security;
alter table oauth_refresh_tokens no force row level security;
alter table oauth_client_secrets no force row level security;

update access_tokens
set digest = null, revoked_at = coalesce(revoked_at, app_now()), updated_at = app_now(),
    revoked_reason = coalesce(revoked_reason, 'digests_replaced');
delete from oauth_codes;
delete from oauth_refresh_tokens;
delete from oauth_client_secrets;

alter table access_tokens drop column pepper;
alter table oauth_codes drop column pepper;
alter table oauth_refresh_tokens drop column pepper;
alter table oauth_client_secrets drop column pepper;
revoke update on oauth_client_secrets from stint_lookup;

alter table access_tokens force row level security;
alter table oauth_codes force row level security;
alter table oauth_refresh_tokens force row level security;
alter table oauth_client_secrets force row level security;

alter table sealing_canaries rename to key_checks;
