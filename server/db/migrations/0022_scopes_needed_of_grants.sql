-- The scopes that a client lacked for its last calls under a grant: what its user is asked for next (step-up), and therefore
-- finds ticked on the consent page.
alter table oauth_grants
  add needed_scopes text[] not null default '{}',
  add needed_at     timestamptz(3);
