-- Email addresses are stored, found and counted in one form: NFKC, then the database's lower case. Where two users of one account would get the
-- same form, one of them keeps the former spelling: it stays in the directory, and both are still found by what they type.
with forms as (
  select account, email, lower(normalize(email, NFKC)) as form,
    row_number() over (partition by account, lower(normalize(email, NFKC)) order by email = lower(normalize(email, NFKC)) desc, email) as place
  from user_emails)
update user_emails e set email = f.form from forms f
where f.account = e.account and f.email = e.email and f.place = 1
  and not exists (select from user_emails o where o.account = e.account and o.email = f.form);

-- Tries are counted by user, no longer by email address alone, and so are the places from which somebody signed in before. What was counted until
-- now is forgotten; the known places are taken from the sessions there are, of IPv6 the network of 64 bits.
delete from sign_in_tries;
do $$
declare
  place record;
  network text;
  bytes bytea;
begin
  for place in select account_id, user_id, address, max(created) as known from sessions where address <> '' group by account_id, user_id, address
  loop
    begin
      network := place.address;
      if network like '%:%' then
        bytes := inet_send(network::inet);
        network := to_hex(get_byte(bytes, 4) * 256 + get_byte(bytes, 5)) || ':' || to_hex(get_byte(bytes, 6) * 256 + get_byte(bytes, 7)) || ':'
          || to_hex(get_byte(bytes, 8) * 256 + get_byte(bytes, 9)) || ':' || to_hex(get_byte(bytes, 10) * 256 + get_byte(bytes, 11));
      end if;
      insert into sign_in_tries as t (subject, tries, last, known)
      values (sha256(convert_to('["place","' || place.account_id || '","' || place.user_id || '","' || network || '"]', 'UTF8')), 0, place.known, place.known)
      on conflict (subject) do update set known = greatest(t.known, excluded.known);
    exception when invalid_text_representation then
      -- An address that cannot be read is learned anew with the next sign-in.
    end;
  end loop;
end $$;

-- Sign-ups compare addresses in the same form. Of two on one board that become the same, the newer is kept.
delete from board_sign_ups s using board_sign_ups o
  where o.account_id = s.account_id and o.board_id = s.board_id and o.id <> s.id
    and lower(normalize(o.email, NFKC)) = lower(normalize(s.email, NFKC))
    and (o.created, o.id) > (s.created, s.id);
update board_sign_ups set address = lower(normalize(email, NFKC)) where address <> lower(normalize(email, NFKC));
