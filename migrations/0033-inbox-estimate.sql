-- How many items have one word, as the statistics of the table know it: of what is said very often nobody need count. Nothing where they are not at hand.
create function chorus_inbox_estimate(account text, question tsquery) returns integer
  language plpgsql volatile security definer set search_path = public
  as $$
declare
  plan json;
begin
  if account is distinct from chorus_account() then
    return 0;
  end if;
  execute 'explain (format json) select from inbox_items where account_id = $1 and words @@ $2' into plan using account, question;
  return case when plan #>> '{0,Plan,Node Type}' <> 'Custom Scan' then (plan #>> '{0,Plan,Plan Rows}')::numeric::integer else 0 end;
end
$$;
revoke all on function chorus_inbox_estimate(text, tsquery) from public;
