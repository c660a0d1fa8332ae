-- SHA-256 of the request that created a view, so that its idempotency key is refused for another one. Null for older views,
-- which any request with the key returns. Grows with the views, which are limited.
alter table bff.saved_view add column request_digest bytea;
