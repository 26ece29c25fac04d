-- The keeper removes answers kept for idempotent repeats once they are too old to be repeated, of all organizations.
-- It needs to see which they are, not what they say.
create policy engine on idempotent_answers to stint_engine using (true);
grant select (organization_id, key_digest, created_at), update (created_at), delete on idempotent_answers to stint_engine;
