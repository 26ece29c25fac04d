-- An OAuth client is named by its client_id, which is no UUID and for a document its address.
alter table audit_entries alter column subject_id type text;

-- Clients that an organization met: those it gave permissions to, found by their id.
create index oauth_grants_organization_client on oauth_grants (organization_id, client_id);
