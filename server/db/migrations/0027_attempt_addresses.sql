-- Addresses that an attempt contacted, each with its outcome and times; null of attempts of before, and of processes of an
-- earlier release that still run.
alter table webhook_attempts add column addresses jsonb;
