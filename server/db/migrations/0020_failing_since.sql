-- When the first of the consecutive failures of a subscription was recorded; null while there is none.
alter table webhook_lanes add column failing_since timestamptz(3);
-- The owner of the table changes rows of all organizations only while row-level security is not forced on it.
alter table webhook_lanes no force row level security;
update webhook_lanes set failing_since = coalesce(last_success_at, last_attempt_at) where consecutive_failures > 0;
alter table webhook_lanes force row level security;
