-- The owner of the table changes rows of all organizations only while row-level security is not forced on it.
alter table idempotent_answers no force row level security;
-- A kept answer rests without its secret, which is sealed beside it and goes after an hour. Answers that were kept
-- sealed as a whole are forgotten: each held a secret, and was for a repeat within a day.
delete from idempotent_answers where is_sealed;
-- Only what was done is kept: a refused call changed nothing.
delete from idempotent_answers where status >= 400;
alter table idempotent_answers force row level security;

alter table idempotent_answers
  add column secret bytea,
  drop column is_sealed,
  add check (status between 200 and 299);
create index idempotent_answers_secrets on idempotent_answers (created_at) where secret is not null;
grant select (secret), update (secret) on idempotent_answers to stint_engine;
