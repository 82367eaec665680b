-- Clicks as they come in: written before the visitor is sent on. All that one commit takes of an account is one row, because
-- a row of its own for every click costs more than everything else the redirector does. Counting takes them from here, and the
-- addresses of the visitors go with them.
create table click_bundles (
  number bigint generated always as identity primary key,
  account text collate "C" not null,
  -- When the first of them came, and how many they are.
  at timestamptz not null,
  size integer not null,
  -- A JSON array with an object for each. Nothing looks inside before it is counted.
  clicks text not null
);
-- Read once and deleted: packing it would be work for nothing.
alter table click_bundles alter column clicks set storage external;

insert into click_bundles (account, at, size, clicks)
select account, min(at), count(*), json_agg(json_build_object(
    'link', link, 'id', click, 'at', round(extract(epoch from at) * 1000)::bigint, 'class', class, 'reason', reason,
    'visitor', visitor, 'address', address, 'userAgent', user_agent) order by number)::text
from click_intake group by account, number / 500 order by min(number);
drop table click_intake;

-- Everything that is needed to follow a link stands where its hash is looked up: whose it is need not be known before.
alter table link_hashes add column long_url text, add column params text not null default '{}', add column disabled boolean not null default false,
  -- When it was last changed; nothing for the many that never are.
  add column changed timestamptz;
update link_hashes h set long_url = l.long_url, params = l.params::text, disabled = l.disabled is not null
from links l where l.account_id = h.account and l.id = h.link;
alter table link_hashes alter column long_url set not null;
-- For redirectors that missed an announcement.
create index link_hashes_changed on link_hashes (changed) where changed is not null;
