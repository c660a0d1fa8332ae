-- What changed before a failure: the registrations of a plugin or a service, and the policy of an environment.
create index audit_entry_registration on runtime.audit_entry (action, split_part(subject, ' ', 1), sequence desc)
  where environment_key is null
    and action in ('plugin.save', 'plugin.credential.create', 'plugin.credential.revoke', 'plugin.policy', 'service.save');
