-- Somebody new may be the manager that others wait for. As for user names the lower case stands in a column: under row-level
-- security an index serves plain comparisons only, and an import may leave everybody waiting for somebody.
alter table people add column manager_ref_lower text generated always as (lower(manager_ref)) stored;
drop index people_manager_ref;
create index people_manager_ref on people (organization_id, manager_ref_lower) where manager_ref_lower is not null;
