-- The audit is read in the order in which things happened: a console records a refusal later than it occurred.
create index audit_entry_happened on runtime.audit_entry (coalesce(first_occurred_at, at) desc, sequence desc);
create index audit_entry_actor_happened on runtime.audit_entry
  (actor_id, coalesce(first_occurred_at, at) desc, sequence desc);
