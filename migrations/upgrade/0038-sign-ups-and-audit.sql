-- Sign-ups of visitors. They are kept apart from the advocates until the mailed link is used: a form that anybody can send takes no seat.
create table board_sign_ups (
  account_id text collate "C" not null,
  id text collate "C" not null,
  board_id text collate "C" not null,
  -- As it was given, and in lower case.
  email text not null,
  address text collate "C" not null,
  first_name text not null,
  last_name text not null,
  created timestamptz not null,
  -- When the link was used while the board had no free seat; null while the address is not proved.
  confirmed timestamptz,
  ends timestamptz not null,
  -- How many mails were sent for it.
  mails integer not null default 0,
  -- Of the mailed link; null for sign-ups of older versions, whose link is a sign-in link.
  digest bytea,
  primary key (account_id, id),
  foreign key (account_id, board_id) references boards (account_id, id) on delete cascade
);
create unique index board_sign_ups_address on board_sign_ups (account_id, board_id, address);
create unique index board_sign_ups_digest on board_sign_ups (account_id, digest);
create index board_sign_ups_by_address on board_sign_ups (account_id, address);
create index board_sign_ups_by_created on board_sign_ups (account_id, board_id, created, id);
create index board_sign_ups_by_end on board_sign_ups (account_id, ends);

-- Older versions gave a seat to whoever sent the form. Sign-ups (invited by nobody) whose link was not used give it back and wait in the new table.
insert into board_sign_ups (account_id, id, board_id, email, address, first_name, last_name, created, ends, mails)
  select m.account_id, '0su' || left(md5(m.board_id || ' ' || m.user_id), 12), m.board_id, u.email, lower(u.email), u.first_name, u.last_name,
    m.created, greatest(m.invited, now()) + interval '14 days', 1
  from board_members m join users u on u.account_id = m.account_id and u.id = m.user_id
  where m.invited_by = '' and m.accepted is null;
update boards b set members = b.members - g.gone
  from (select account_id, board_id, count(*)::integer as gone from board_members where invited_by = '' and accepted is null group by account_id, board_id) g
  where b.account_id = g.account_id and b.id = g.board_id;
update figures f set value = f.value - g.gone
  from (
    select o.account_id, count(*)::integer as gone from (
      select account_id, user_id from board_members group by account_id, user_id having bool_and(invited_by = '' and accepted is null)) o
    group by o.account_id) g
  where f.account_id = g.account_id and f.of_kind = 'account' and f.of_id = f.account_id and f.name = 'advocates';
delete from board_members where invited_by = '' and accepted is null;

-- The service may add to the audit log and read it, and neither change nor delete what it says; the comment is what grants go by.
comment on table deeds is 'append-only';
-- The one way to delete: the oldest entries of the account that asks, as the retention job does.
create function chorus_forget_deeds(account text, before text, most integer) returns integer
  language plpgsql volatile security definer set search_path = public
  as $$
declare
  gone integer;
begin
  if account is distinct from chorus_account() then
    return 0;
  end if;
  delete from deeds where account_id = account and id in (
    select id from deeds where account_id = account and id < before order by id limit most);
  get diagnostics gone = row_count;
  return gone;
end
$$;
revoke all on function chorus_forget_deeds(text, text, integer) from public;
