-- The address of a webhook may contain a secret, so it is sealed; `url` is what people see of it. Null until a replica has sealed
-- what an earlier version wrote in `url`. One value for each webhook, deleted with it.
alter table runtime.webhook add column address bytea;

-- A replica of an earlier version that changes `url` does not know the sealed one, which would otherwise still be called.
create function runtime.webhook_address_changed() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.address := null;
  return new;
end $$;
create trigger webhook_address before update of url on runtime.webhook
  for each row when (new.url is distinct from old.url and new.address is not distinct from old.address)
  execute function runtime.webhook_address_changed();
