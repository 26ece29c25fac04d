-- What is signed is what was read: the number of the terms, and with each signature the digest of what it signed.
alter table contracts
  add column terms_version int not null default 1 check (terms_version > 0),
  add column client_terms_digest text,
  add column worker_terms_digest text,
  add check (client_terms_digest is null or client_signed_at is not null),
  add check (worker_terms_digest is null or worker_signed_at is not null);
alter table amendments
  add column terms_version int not null default 1 check (terms_version > 0),
  add column client_terms_digest text,
  add column worker_terms_digest text,
  add check (client_terms_digest is null or client_signed_at is not null),
  add check (worker_terms_digest is null or worker_signed_at is not null);
