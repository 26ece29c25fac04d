-- Which way into the operations a change took: rest, mcp, none for what nobody called.
alter table audit_entries add column surface text;
