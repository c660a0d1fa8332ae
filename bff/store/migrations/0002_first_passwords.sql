-- False while a generated password may not have been shown to anybody: the next start then generates and shows another.
alter table bff.idp_user add column is_password_shown boolean not null default true;
