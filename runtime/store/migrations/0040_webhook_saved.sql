-- when a person last saved it: an edit names what it replaces; the webhooks of now are saved at the migration
alter table runtime.webhook add column updated_at timestamptz not null default now();
