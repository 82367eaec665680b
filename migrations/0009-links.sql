-- Domains of an account that short links may stand under. One is served while its DNS points at us.
create table cnames (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  name text collate "C" not null,
  -- When DNS was last asked, and what was wrong with its answer; one that is wrong twice is not served.
  checked timestamptz not null,
  problem text not null default '',
  primary key (account_id, id)
);
create unique index cnames_by_name on cnames (account_id, name);
create index cnames_by_created on cnames (account_id, created, id);

-- Whose domain it is that a request came to: asked before the account is known. Only domains that are served stand here.
create table short_hosts (
  host text collate "C" primary key,
  account text collate "C" not null,
  cname text collate "C" not null
);

-- What an account, or one of its campaigns, wants of its short links. The row without a campaign is the account's.
create table link_settings (
  account_id text collate "C" not null references accounts (id),
  campaign_id text collate "C" not null default '',
  modified timestamptz not null,
  -- Each as the next wider one has it while it is null; empty: that parameter is left out.
  utm_source text,
  utm_medium text,
  utm_campaign text,
  utm_term text,
  utm_content text,
  -- The domain of new links; the service's own while it is null. Account only.
  cname_id text collate "C",
  -- Whether visitors who ask not to be tracked get no cookie. Account only.
  respects_do_not_track boolean not null default true,
  -- Under which parameter the destination is told the click's id; empty: under none. Account only.
  click_parameter text not null default '',
  primary key (account_id, campaign_id)
);

create table links (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  hash text collate "C" not null,
  campaign_id text collate "C" not null,
  message_id text collate "C" not null,
  post_id text collate "C" not null default '',
  postlog_id text collate "C" not null default '',
  credential_id text collate "C" not null,
  network text collate "C" not null,
  -- The advocate's share it was made for.
  share_id text collate "C" not null default '',
  -- The custom domain it was made with; empty: the service's own.
  host text collate "C" not null default '',
  -- What stood in the text, and where it leads now.
  original_url text not null,
  long_url text not null,
  -- What is added to the destination unless it says something else itself.
  params jsonb not null default '{}',
  -- Leads nowhere from then on.
  disabled timestamptz,
  disabled_reason text not null default '',
  clicks integer not null default 0,
  converts integer not null default 0,
  primary key (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
) with (fillfactor = 80);
create unique index links_by_hash on links (account_id, hash);
create index links_by_created on links (account_id, created, id);
create index links_by_credential on links (account_id, credential_id, created, id);
-- An address in a post has one link per profile, however often the post is tried.
create unique index links_of_post on links (account_id, post_id, credential_id, md5(original_url)) where post_id <> '';
create unique index links_of_share on links (account_id, share_id, md5(original_url)) where share_id <> '';

-- Which link a hash belongs to: asked before the account is known.
create table link_hashes (
  hash text collate "C" primary key,
  account text collate "C" not null,
  link text collate "C" not null
);

-- Who changed where a link leads, or switched it off and on.
create table link_changes (
  account_id text collate "C" not null,
  id text collate "C" not null,
  link_id text collate "C" not null,
  at timestamptz not null,
  user_id text collate "C" not null,
  what text not null check (what in ('destination', 'disabled', 'enabled')),
  before text not null,
  after text not null,
  primary key (account_id, id),
  foreign key (account_id, link_id) references links (account_id, id)
);
create index link_changes_by_link on link_changes (account_id, link_id, at, id);

-- Clicks as they come in: written before the visitor is sent on, with no index but the key. Counting takes them from here, and
-- the address of the visitor goes with them.
create table click_intake (
  number bigint generated always as identity primary key,
  account text collate "C" not null,
  link text collate "C" not null,
  click text collate "C" not null,
  at timestamptz not null,
  class text collate "C" not null,
  reason text not null,
  visitor text collate "C" not null,
  address text not null,
  user_agent text not null
);

-- Clicks after counting. Of the classes only `human` counts; the rest says why it does not.
create table clicks (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  link_id text collate "C" not null,
  campaign_id text collate "C" not null,
  message_id text collate "C" not null,
  post_id text collate "C" not null,
  postlog_id text collate "C" not null,
  credential_id text collate "C" not null,
  network text collate "C" not null,
  class text collate "C" not null check (class in ('human', 'bot', 'preview', 'head', 'prefetch', 'duplicate')),
  reason text not null default '',
  visitor_id text collate "C" not null,
  lead_id text collate "C" not null default '',
  conversion_tag_id text collate "C",
  converted timestamptz,
  user_agent text not null default '',
  country text not null default '',
  city text not null default '',
  organization text not null default '',
  longitude real not null default 0,
  latitude real not null default 0,
  primary key (account_id, id)
);
create index clicks_by_created on clicks (account_id, created, id) where class = 'human';
create index clicks_by_campaign on clicks (account_id, campaign_id, created, id) where class = 'human';
create index clicks_by_credential on clicks (account_id, credential_id, created, id) where class = 'human';
create index clicks_by_message on clicks (account_id, message_id, created, id) where class = 'human';
create index clicks_by_lead on clicks (account_id, lead_id, created, id) where class = 'human' and lead_id <> '';
create index clicks_converted on clicks (account_id, created, id) where class = 'human' and converted is not null;
-- What a visitor did last: for conversions, for repeated clicks, and for whoever asks about a visitor.
create index clicks_by_visitor on clicks (account_id, visitor_id, created, id) where class = 'human';
-- Everything that came to a link, whatever its class.
create index clicks_by_link on clicks (account_id, link_id, class, created);

create table conversion_tags (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  tag text not null,
  value numeric(12, 2) not null default 0,
  status text collate "C" not null check (status in ('active', 'inactive')),
  conversions integer not null default 0,
  primary key (account_id, id)
);
create index conversion_tags_by_created on conversion_tags (account_id, created, id);

-- Whose conversion tag it is: asked before the account is known.
create table conversion_tag_accounts (
  tag text collate "C" primary key,
  account text collate "C" not null
);

-- A click converts once for each tag, however often the page is loaded.
create table conversions (
  account_id text collate "C" not null,
  click_id text collate "C" not null,
  conversion_tag_id text collate "C" not null,
  created timestamptz not null,
  value numeric(12, 2) not null,
  -- Waits here for the lead it belongs to.
  email text not null default '',
  lead_id text collate "C" not null default '',
  primary key (account_id, click_id, conversion_tag_id),
  foreign key (account_id, click_id) references clicks (account_id, id),
  foreign key (account_id, conversion_tag_id) references conversion_tags (account_id, id)
);
create index conversions_by_tag on conversions (account_id, conversion_tag_id, created);

alter table postlogs add column clicks integer not null default 0;
alter table postlogs add column converts integer not null default 0;
