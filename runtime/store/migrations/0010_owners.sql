-- Whoever asks for what a worker holds asks by its owner, and need not ask for the state.
alter table runtime.operation add constraint operation_owner check (lease_owner is null or state = 'RUNNING');
