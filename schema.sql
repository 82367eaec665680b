-- Written by `npm run generate` from the migrations. Do not edit; not meant to be run.

table account_usage
  account_id text not null
  kind text not null
  part integer not null
  used integer not null default (0)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, kind, part)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table accounts
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  name text not null
  status text not null default ('active'::text)
  number bigint not null
  CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
  PRIMARY KEY (id)
  policy own_account to chorus_app using (id = chorus_account())
  policy owner using true
  row security forced

table api_keys
  account_id text not null
  id text not null
  user_id text not null
  created timestamp with time zone not null
  name text not null
  digest bytea not null
  last_used timestamp with time zone
  expires timestamp with time zone
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX api_keys_by_user ON public.api_keys USING btree (account_id, user_id, created, id)
  CREATE UNIQUE INDEX api_keys_digest ON public.api_keys USING btree (account_id, digest)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table board_members
  account_id text not null
  board_id text not null
  user_id text not null
  created timestamp with time zone not null
  invited_by text not null
  invited timestamp with time zone not null
  accepted timestamp with time zone
  role text not null
  last_seen timestamp with time zone not null default ('1970-01-01 00:00:00+00'::timestamp with time zone)
  custom_values jsonb not null default ('{}'::jsonb)
  wants_digest boolean not null default (true)
  topics_seen timestamp with time zone
  CHECK ((role = ANY (ARRAY['contributor'::text, 'manager'::text])))
  FOREIGN KEY (account_id, board_id) REFERENCES boards(account_id, id) ON DELETE CASCADE
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, board_id, user_id)
  CREATE INDEX board_members_by_created ON public.board_members USING btree (account_id, board_id, created, user_id)
  CREATE INDEX board_members_by_last_seen ON public.board_members USING btree (account_id, board_id, last_seen, user_id)
  CREATE INDEX board_members_by_user ON public.board_members USING btree (account_id, user_id, board_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table board_messages
  account_id text not null
  board_id text not null
  message_id text not null
  created timestamp with time zone not null
  created_by text not null
  start_date timestamp with time zone not null
  expire_date timestamp with time zone not null
  important boolean not null default (false)
  topic_ids text[] not null default ('{}'::text[])
  FOREIGN KEY (account_id, board_id) REFERENCES boards(account_id, id) ON DELETE CASCADE
  FOREIGN KEY (account_id, message_id) REFERENCES messages(account_id, id)
  PRIMARY KEY (account_id, board_id, message_id)
  CREATE INDEX board_messages_by_message ON public.board_messages USING btree (account_id, message_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table board_rankings
  account_id text not null
  board_id text not null
  period text not null
  since date not null
  counted bigint not null
  FOREIGN KEY (account_id, board_id) REFERENCES boards(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, board_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table board_ranks
  account_id text not null
  board_id text not null
  user_id text not null
  rank integer not null
  points bigint not null
  shares bigint not null
  clicks bigint not null
  converts bigint not null
  FOREIGN KEY (account_id, board_id) REFERENCES boards(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, board_id, user_id)
  CREATE INDEX board_ranks_by_rank ON public.board_ranks USING btree (account_id, board_id, rank, user_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table board_sign_ups
  account_id text not null
  id text not null
  board_id text not null
  email text not null
  address text not null
  first_name text not null
  last_name text not null
  created timestamp with time zone not null
  confirmed timestamp with time zone
  ends timestamp with time zone not null
  mails integer not null default (0)
  digest bytea
  FOREIGN KEY (account_id, board_id) REFERENCES boards(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, id)
  CREATE INDEX board_sign_ups_by_address ON public.board_sign_ups USING btree (account_id, address)
  CREATE INDEX board_sign_ups_by_created ON public.board_sign_ups USING btree (account_id, board_id, created, id)
  CREATE INDEX board_sign_ups_by_end ON public.board_sign_ups USING btree (account_id, ends)
  CREATE UNIQUE INDEX board_sign_ups_address ON public.board_sign_ups USING btree (account_id, board_id, address)
  CREATE UNIQUE INDEX board_sign_ups_digest ON public.board_sign_ups USING btree (account_id, digest)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table board_slugs
  slug text not null
  account text not null
  board_id text not null
  PRIMARY KEY (slug)
  row security off

table boards
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  modified_by text not null
  name text not null
  status text not null default ('active'::text)
  kind text not null default ('stories'::text)
  seats integer
  members integer not null default (0)
  default_expiration text not null default ('in_6_months'::text)
  default_role text not null default ('contributor'::text)
  color text not null default ('#2F6F4E'::text)
  icon_id text not null default (''::text)
  logo_id text not null default (''::text)
  logo_position text not null default ('center'::text)
  allows_suggestions boolean not null default (false)
  leaderboard_enabled boolean not null default (true)
  leaderboard_period text not null default ('month'::text)
  notifications_enabled boolean not null default (true)
  notifications_day integer
  notifications_hour integer not null default (10)
  notifications_zone text not null default ('UTC'::text)
  digest_due timestamp with time zone
  post_address text not null default (''::text)
  sign_up_enabled boolean not null default (false)
  sign_up_domains text[] not null default ('{}'::text[])
  slug text not null
  terms text not null default (''::text)
  needs_password boolean not null default (true)
  custom_fields jsonb not null default ('[]'::jsonb)
  share_window integer not null default (60)
  daily_caps jsonb not null default ('{}'::jsonb)
  CHECK (((notifications_day >= 0) AND (notifications_day <= 6)))
  CHECK (((notifications_hour >= 0) AND (notifications_hour <= 23)))
  CHECK (((share_window >= 0) AND (share_window <= 1440)))
  CHECK ((default_role = ANY (ARRAY['contributor'::text, 'manager'::text])))
  CHECK ((kind = ANY (ARRAY['stories'::text, 'messages'::text])))
  CHECK ((leaderboard_period = ANY (ARRAY['week'::text, 'month'::text, 'quarter'::text, 'year'::text, 'all'::text])))
  CHECK ((logo_position = ANY (ARRAY['left'::text, 'center'::text, 'right'::text])))
  CHECK ((seats >= 0))
  CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX boards_by_created ON public.boards USING btree (account_id, created, id)
  CREATE INDEX boards_by_name ON public.boards USING btree (account_id, lower(name), id)
  CREATE UNIQUE INDEX boards_slug ON public.boards USING btree (account_id, slug)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table calendar_keys
  account_id text not null
  user_id text not null
  digest bytea not null
  created timestamp with time zone not null
  last_used timestamp with time zone
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, user_id)
  CREATE UNIQUE INDEX calendar_keys_by_digest ON public.calendar_keys USING btree (account_id, digest)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table call_limits
  day date not null
  day_count integer not null default (0)
  blocked_until timestamp with time zone
  calls bigint[] not null default ('{}'::bigint[])
  caller text not null
  parts jsonb not null default ('{}'::jsonb)
  PRIMARY KEY (caller)
  row security off

table campaigns
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  modified_by text not null
  name text not null
  status text not null default ('active'::text)
  url text not null default (''::text)
  color text not null
  start_date timestamp with time zone
  end_date timestamp with time zone
  last_comment_found timestamp with time zone
  send_summary integer not null default (0)
  sfdc_campaign_id text not null default (''::text)
  sfdc_campaign_name text not null default (''::text)
  sfdc_campaign_option text not null default (''::text)
  utm text not null default (''::text)
  deleted timestamp with time zone
  ending boolean not null default (false)
  link_id text
  CHECK ((status = ANY (ARRAY['active'::text, 'complete'::text, 'paused'::text, 'archived'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX campaigns_by_created ON public.campaigns USING btree (account_id, created, id) WHERE (deleted IS NULL)
  CREATE INDEX campaigns_by_name ON public.campaigns USING btree (account_id, lower(name), id) WHERE (deleted IS NULL)
  CREATE INDEX campaigns_by_status ON public.campaigns USING btree (account_id, lower(status), id) WHERE (deleted IS NULL)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table canned_responses
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  name text not null
  content text not null
  visibility text not null
  CHECK ((visibility = ANY (ARRAY['shared'::text, 'private'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX canned_responses_by_created ON public.canned_responses USING btree (account_id, created, id)
  CREATE INDEX canned_responses_by_name ON public.canned_responses USING btree (account_id, lower(name), id)
  CREATE UNIQUE INDEX canned_responses_private_name ON public.canned_responses USING btree (account_id, created_by, lower(name)) WHERE (visibility = 'private'::text)
  CREATE UNIQUE INDEX canned_responses_shared_name ON public.canned_responses USING btree (account_id, lower(name)) WHERE (visibility = 'shared'::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table click_bundles
  number bigint not null
  account text not null
  at timestamp with time zone not null
  size integer not null
  clicks text not null
  PRIMARY KEY (account, number)
  row security off

table clicks
  account_id text not null
  id text not null
  created timestamp with time zone not null
  link_id text not null
  campaign_id text not null
  message_id text not null
  post_id text not null
  credential_id text not null
  network text not null
  class text not null
  reason text not null default (''::text)
  visitor_id text not null
  lead_id text not null default (''::text)
  conversion_tag_id text
  converted timestamp with time zone
  user_agent text not null default (''::text)
  country text not null default (''::text)
  city text not null default (''::text)
  organization text not null default (''::text)
  longitude real not null default (0)
  latitude real not null default (0)
  CHECK ((class = ANY (ARRAY['human'::text, 'bot'::text, 'preview'::text, 'head'::text, 'prefetch'::text, 'duplicate'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX clicks_by_campaign ON public.clicks USING btree (account_id, campaign_id, created, id) WHERE (class = 'human'::text)
  CREATE INDEX clicks_by_converted ON public.clicks USING btree (account_id, converted, id) WHERE ((class = 'human'::text) AND (converted IS NOT NULL))
  CREATE INDEX clicks_by_created ON public.clicks USING btree (account_id, created, id) WHERE (class = 'human'::text)
  CREATE INDEX clicks_by_credential ON public.clicks USING btree (account_id, credential_id, created, id) WHERE (class = 'human'::text)
  CREATE INDEX clicks_by_lead ON public.clicks USING btree (account_id, lead_id, created, id) WHERE ((class = 'human'::text) AND (lead_id <> ''::text))
  CREATE INDEX clicks_by_link ON public.clicks USING btree (account_id, link_id, class, created)
  CREATE INDEX clicks_by_message ON public.clicks USING btree (account_id, message_id, created, id) WHERE (class = 'human'::text)
  CREATE INDEX clicks_by_visitor ON public.clicks USING btree (account_id, visitor_id, created, id) WHERE (class = 'human'::text)
  CREATE INDEX clicks_converted ON public.clicks USING btree (account_id, created, id) WHERE ((class = 'human'::text) AND (converted IS NOT NULL))
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table cnames
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  name text not null
  checked timestamp with time zone not null
  problem text not null default (''::text)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX cnames_by_created ON public.cnames USING btree (account_id, created, id)
  CREATE UNIQUE INDEX cnames_by_name ON public.cnames USING btree (account_id, name)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table connect_offers
  account_id text not null
  id text not null
  created timestamp with time zone not null
  created_by text not null
  network text not null
  grants text not null
  board_only boolean not null default (false)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table conversation_tags
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  value text not null
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX conversation_tags_by_created ON public.conversation_tags USING btree (account_id, created, id)
  CREATE UNIQUE INDEX conversation_tags_value ON public.conversation_tags USING btree (account_id, lower(value))
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table conversion_tag_accounts
  tag text not null
  account text not null
  PRIMARY KEY (tag)
  row security off

table conversion_tags
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  tag text not null
  value numeric(12,2) not null default (0)
  status text not null
  conversions integer not null default (0)
  CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX conversion_tags_by_created ON public.conversion_tags USING btree (account_id, created, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table conversions
  account_id text not null
  click_id text not null
  conversion_tag_id text not null
  created timestamp with time zone not null
  value numeric(12,2) not null
  email text not null default (''::text)
  lead_id text not null default (''::text)
  FOREIGN KEY (account_id, click_id) REFERENCES clicks(account_id, id)
  FOREIGN KEY (account_id, conversion_tag_id) REFERENCES conversion_tags(account_id, id)
  PRIMARY KEY (account_id, click_id, conversion_tag_id)
  CREATE INDEX conversions_by_created ON public.conversions USING btree (account_id, created)
  CREATE INDEX conversions_by_email ON public.conversions USING btree (account_id, email) WHERE (email <> ''::text)
  CREATE INDEX conversions_by_lead ON public.conversions USING btree (account_id, lead_id) WHERE (lead_id <> ''::text)
  CREATE INDEX conversions_by_tag ON public.conversions USING btree (account_id, conversion_tag_id, created)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table credentials
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  network text not null
  network_account_id text not null
  kind text not null
  name text not null
  given_name text not null default (''::text)
  display_name text not null generated as (COALESCE(NULLIF(given_name, ''::text), name))
  network_username text not null
  image_link text not null
  status text not null
  status_reason text not null default (''::text)
  native_posts_enabled boolean not null default (true)
  board_only boolean not null default (false)
  is_hidden boolean not null default (false)
  parent_credential_id text not null default (''::text)
  tier text
  expires_on timestamp with time zone
  warned_of timestamp with time zone
  renew_on timestamp with time zone
  secret text
  secret_version integer not null default (0)
  refreshing_until timestamp with time zone
  deleted timestamp with time zone
  invalid_since timestamp with time zone
  CHECK ((kind = ANY (ARRAY['page'::text, 'member'::text, 'account'::text, 'channel'::text])))
  CHECK ((network = ANY (ARRAY['LinkedIn'::text, 'Twitter'::text, 'YouTube'::text, 'Instagram'::text, 'Facebook'::text, 'WeChat'::text, 'Xing'::text, 'TikTok'::text])))
  CHECK ((status = ANY (ARRAY['valid'::text, 'invalid'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX credentials_of_account ON public.credentials USING btree (account_id, board_only, created, id)
  CREATE INDEX credentials_of_owner ON public.credentials USING btree (account_id, created_by, created, id)
  CREATE INDEX credentials_to_renew ON public.credentials USING btree (account_id, renew_on) WHERE (renew_on IS NOT NULL)
  CREATE UNIQUE INDEX credentials_by_network ON public.credentials USING btree (account_id, network, network_account_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table custom_event_campaigns
  account_id text not null
  event_id text not null
  campaign_id text not null
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id)
  FOREIGN KEY (account_id, event_id) REFERENCES custom_events(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, event_id, campaign_id)
  CREATE INDEX custom_event_campaigns_by_campaign ON public.custom_event_campaigns USING btree (account_id, campaign_id, event_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table custom_events
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  title text not null
  description text not null default (''::text)
  start_date_time timestamp with time zone not null
  end_date_time timestamp with time zone not null
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX custom_events_by_created ON public.custom_events USING btree (account_id, created, id)
  CREATE INDEX custom_events_by_modified ON public.custom_events USING btree (account_id, modified, id)
  CREATE INDEX custom_events_by_start ON public.custom_events USING btree (account_id, start_date_time, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table daily_figures
  account_id text not null
  of_kind text not null
  of_id text not null
  name text not null
  day date not null
  value bigint not null
  PRIMARY KEY (account_id, of_kind, of_id, name, day)
  CREATE INDEX daily_figures_by_day ON public.daily_figures USING btree (account_id, of_kind, name, day)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table dashboard_favorites
  account_id text not null
  user_id text not null
  dashboard_id text not null
  FOREIGN KEY (account_id, dashboard_id) REFERENCES dashboards(account_id, id) ON DELETE CASCADE
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, user_id, dashboard_id)
  CREATE INDEX dashboard_favorites_of_dashboard ON public.dashboard_favorites USING btree (account_id, dashboard_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table dashboard_starts
  account_id text not null
  created timestamp with time zone not null
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table dashboard_teams
  account_id text not null
  dashboard_id text not null
  team_id text not null
  FOREIGN KEY (account_id, dashboard_id) REFERENCES dashboards(account_id, id) ON DELETE CASCADE
  FOREIGN KEY (account_id, team_id) REFERENCES teams(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, dashboard_id, team_id)
  CREATE INDEX dashboard_teams_of_team ON public.dashboard_teams USING btree (account_id, team_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table dashboard_widgets
  account_id text not null
  id text not null
  dashboard_id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  type text not null default ('report'::text)
  name text not null
  description text not null default (''::text)
  chart_type text not null
  source text not null
  x integer not null
  y integer not null
  width integer not null
  height integer not null
  report jsonb not null
  CHECK ((chart_type = ANY (ARRAY['line'::text, 'bar'::text, 'stacked'::text, 'pie'::text, 'number'::text, 'table'::text])))
  CHECK ((type = 'report'::text))
  FOREIGN KEY (account_id, dashboard_id) REFERENCES dashboards(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, id)
  CREATE INDEX dashboard_widgets_of_dashboard ON public.dashboard_widgets USING btree (account_id, dashboard_id, y, x, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table dashboards
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  name text not null
  description text not null default (''::text)
  type text not null default ('custom'::text)
  visibility text not null
  link_sharing_visibility text not null default ('none'::text)
  for_teams boolean not null default (false)
  range jsonb not null
  filters jsonb not null default ('{}'::jsonb)
  CHECK ((link_sharing_visibility = 'none'::text))
  CHECK ((type = ANY (ARRAY['custom'::text, 'template'::text])))
  CHECK ((visibility = ANY (ARRAY['shared'::text, 'private'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX dashboards_by_created ON public.dashboards USING btree (account_id, created, id)
  CREATE INDEX dashboards_by_creator ON public.dashboards USING btree (account_id, created_by, created, id)
  CREATE INDEX dashboards_by_name ON public.dashboards USING btree (account_id, lower(name), id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table deeds
  account_id text not null
  id text not null
  created timestamp with time zone not null
  user_id text not null
  via text not null
  via_id text not null
  address text not null
  operation text not null
  entity_id text not null
  fields text[] not null
  count integer not null
  refused boolean not null default (false)
  PRIMARY KEY (account_id, id)
  CREATE INDEX deeds_by_entity ON public.deeds USING btree (account_id, entity_id, id)
  CREATE INDEX deeds_by_operation ON public.deeds USING btree (account_id, operation, id)
  CREATE INDEX deeds_by_user ON public.deeds USING btree (account_id, user_id, id)
  CREATE INDEX deeds_by_via ON public.deeds USING btree (account_id, via, id) WHERE (via <> 'key'::text)
  CREATE INDEX deeds_refused ON public.deeds USING btree (account_id, user_id, id) WHERE refused
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table deleted_lead_facts
  account_id text not null
  name text not null
  quarter timestamp with time zone not null
  network text not null
  campaign_id text not null
  amount integer not null
  CHECK ((name = ANY (ARRAY['leads'::text, 'leadActivities'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, quarter, name, network, campaign_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table digest_letters
  account_id text not null
  board_id text not null
  user_id text not null
  moment timestamp with time zone not null
  FOREIGN KEY (account_id, board_id) REFERENCES boards(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, board_id, moment, user_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table drafts
  account_id text not null
  user_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  kind text not null
  title text not null
  content text not null
  version integer not null default (1)
  CHECK ((kind = ANY (ARRAY['post'::text, 'reply'::text, 'note'::text])))
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, user_id, id)
  CREATE INDEX drafts_by_modified ON public.drafts USING btree (account_id, user_id, modified, id)
  CREATE INDEX drafts_old ON public.drafts USING btree (account_id, modified)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table event_queue
  account text not null
  id text not null
  webhooks text[]
  PRIMARY KEY (account, id)
  row security off

table events
  account_id text not null
  id text not null
  created timestamp with time zone not null
  type text not null
  data text not null
  scopes text[]
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table export_runs
  account_id text not null
  id text not null
  export_id text not null
  created timestamp with time zone not null
  created_by text not null
  starts timestamp with time zone not null
  ends timestamp with time zone not null
  status text not null
  attempts integer not null default (0)
  error text not null default (''::text)
  file_key text not null default (''::text)
  file_name text not null default (''::text)
  rows bigint not null default (0)
  unreadable bigint not null default (0)
  bytes bigint not null default (0)
  digest text not null default (''::text)
  finished timestamp with time zone
  CHECK ((status = ANY (ARRAY['waiting'::text, 'writing'::text, 'delivering'::text, 'done'::text, 'failed'::text])))
  FOREIGN KEY (account_id, export_id) REFERENCES exports(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, id)
  CREATE INDEX export_runs_by_created ON public.export_runs USING btree (account_id, created, id)
  CREATE INDEX export_runs_by_export ON public.export_runs USING btree (account_id, export_id, created, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table exports
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  type text not null
  destination_type text not null
  destination jsonb not null
  secret text
  status text not null
  frequency text not null
  weekday integer not null
  month_day integer not null
  hour integer not null
  timezone text not null
  time_range text not null
  next_run timestamp with time zone
  last_run timestamp with time zone
  last_run_id text
  CHECK (((hour >= 0) AND (hour <= 23)))
  CHECK (((month_day >= 1) AND (month_day <= 28)))
  CHECK (((weekday >= 0) AND (weekday <= 6)))
  CHECK ((destination_type = ANY (ARRAY['email'::text, 'azure'::text, 'FTP'::text, 'SFTP'::text, 'S3_bucket'::text])))
  CHECK ((frequency = ANY (ARRAY['daily'::text, 'weekly'::text, 'monthly'::text])))
  CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text])))
  CHECK ((time_range = ANY (ARRAY['yesterday'::text, 'last-7-days'::text, 'last-30-days'::text, 'last-90-days'::text, 'last-week'::text, 'last-month'::text, 'all-time'::text])))
  CHECK ((type = ANY (ARRAY['Posts'::text, 'Clicks'::text, 'Conversions'::text, 'Links'::text, 'Campaigns'::text, 'Advocates'::text, 'Leads'::text, 'Inbox'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX exports_by_created ON public.exports USING btree (account_id, created, id)
  CREATE INDEX exports_by_destination ON public.exports USING btree (account_id, lower(destination_type), id)
  CREATE INDEX exports_by_frequency ON public.exports USING btree (account_id, lower(frequency), id)
  CREATE INDEX exports_by_last_run ON public.exports USING btree (account_id, last_run, id)
  CREATE INDEX exports_by_status ON public.exports USING btree (account_id, lower(status), id)
  CREATE INDEX exports_by_type ON public.exports USING btree (account_id, lower(type), id)
  CREATE INDEX exports_due ON public.exports USING btree (account_id, next_run) WHERE (next_run IS NOT NULL)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table feed_entries
  account_id text not null
  number bigint not null
  mark text not null
  created timestamp with time zone not null
  created_by text not null
  hints text not null
  PRIMARY KEY (account_id, number)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table feed_heads
  account_id text not null
  last bigint not null
  mark text not null
  PRIMARY KEY (account_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table feed_waiting
  account_id text not null
  mark text not null
  created timestamp with time zone not null
  created_by text not null
  hints text not null
  PRIMARY KEY (account_id, mark)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table figure_rebuilds
  account_id text not null
  begun timestamp with time zone not null
  first date
  reached date
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table figures
  account_id text not null
  of_kind text not null
  of_id text not null
  name text not null
  value bigint not null
  last timestamp with time zone not null
  PRIMARY KEY (account_id, of_kind, of_id, name)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table file_holds
  account_id text not null
  id text not null
  digest text not null
  created timestamp with time zone not null
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  FOREIGN KEY (account_id, digest) REFERENCES stored_files(account_id, digest)
  PRIMARY KEY (account_id, id)
  CREATE INDEX file_holds_by_created ON public.file_holds USING btree (account_id, created)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table first_comments
  account_id text not null
  id text not null
  post_id text not null
  text text not null
  media_id text
  FOREIGN KEY (account_id, post_id) REFERENCES posts(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, id)
  CREATE UNIQUE INDEX first_comments_by_post ON public.first_comments USING btree (account_id, post_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table idempotency_keys
  account_id text not null
  user_id text not null
  key text not null
  created timestamp with time zone not null
  request_digest bytea not null
  status integer
  answer text
  claim text
  lease_until timestamp with time zone
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, user_id, key)
  CREATE INDEX idempotency_keys_by_created ON public.idempotency_keys USING btree (account_id, created)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_arrivals
  account_id text not null
  credential_id text not null
  dedupe_key text not null
  received timestamp with time zone not null
  state text not null
  waits_for text
  due timestamp with time zone
  activity jsonb
  reason text not null default (''::text)
  CHECK ((state = ANY (ARRAY['new'::text, 'waiting'::text, 'done'::text, 'refused'::text])))
  FOREIGN KEY (account_id, credential_id) REFERENCES credentials(account_id, id)
  PRIMARY KEY (account_id, credential_id, dedupe_key)
  CREATE INDEX inbox_arrivals_due ON public.inbox_arrivals USING btree (account_id, due) WHERE (state = 'waiting'::text)
  CREATE INDEX inbox_arrivals_new ON public.inbox_arrivals USING btree (account_id, credential_id, received, dedupe_key) WHERE (state = 'new'::text)
  CREATE INDEX inbox_arrivals_old ON public.inbox_arrivals USING btree (account_id, received) WHERE (state = ANY (ARRAY['done'::text, 'refused'::text]))
  CREATE INDEX inbox_arrivals_waiting ON public.inbox_arrivals USING btree (account_id, credential_id, waits_for) WHERE (state = 'waiting'::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_cases
  account_id text not null
  item_id text not null
  integration_id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  case_owner text not null default (''::text)
  contact_id text not null default (''::text)
  description text not null default (''::text)
  remote_id text not null default (''::text)
  url text not null default (''::text)
  status text not null
  error text not null default (''::text)
  version integer not null default (1)
  saved_version integer not null default (0)
  CHECK ((status = ANY (ARRAY['waiting'::text, 'saved'::text, 'failed'::text])))
  FOREIGN KEY (account_id, integration_id) REFERENCES integrations(account_id, id) ON DELETE CASCADE
  FOREIGN KEY (account_id, item_id) REFERENCES inbox_items(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, item_id, integration_id)
  CREATE INDEX inbox_cases_of_integration ON public.inbox_cases USING btree (account_id, integration_id, item_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_entries
  account_id text not null
  id text not null
  item_id text not null
  type text not null
  created timestamp with time zone not null
  is_own boolean not null
  created_by text not null default (''::text)
  credential_id text not null
  remote_id text not null default (''::text)
  parent_remote_id text not null default (''::text)
  person_id text not null default (''::text)
  person_name text not null default (''::text)
  person_username text not null default (''::text)
  person_picture text not null default (''::text)
  content text not null default (''::text)
  media jsonb not null default ('[]'::jsonb)
  url text not null default (''::text)
  language text not null default (''::text)
  details jsonb not null default ('{}'::jsonb)
  reply_id text not null default (''::text)
  edited timestamp with time zone
  removed timestamp with time zone
  CHECK ((type = ANY (ARRAY['message'::text, 'comment'::text, 'reply'::text, 'like'::text, 'share'::text, 'note'::text, 'assignment'::text, 'status'::text, 'tag'::text, 'case'::text])))
  FOREIGN KEY (account_id, item_id) REFERENCES inbox_items(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, id)
  CREATE INDEX inbox_entries_comments ON public.inbox_entries USING btree (account_id, created, id) WHERE ((type = ANY (ARRAY['comment'::text, 'reply'::text])) AND (NOT is_own) AND (removed IS NULL))
  CREATE INDEX inbox_entries_counted ON public.inbox_entries USING btree (account_id, created) WHERE ((NOT is_own) OR (type = 'status'::text))
  CREATE INDEX inbox_entries_of_item ON public.inbox_entries USING btree (account_id, item_id, created, id)
  CREATE INDEX inbox_entries_of_person ON public.inbox_entries USING btree (account_id, person_id, id) WHERE (person_id <> ''::text)
  CREATE INDEX inbox_entries_of_reply ON public.inbox_entries USING btree (account_id, reply_id) WHERE (reply_id <> ''::text)
  CREATE UNIQUE INDEX inbox_entries_by_remote ON public.inbox_entries USING btree (account_id, credential_id, remote_id, type) WHERE (remote_id <> ''::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_item_counts
  account_id text not null
  credential_id text not null
  network text not null
  item_type text not null
  status text not null
  assignee_id text not null
  items integer not null
  PRIMARY KEY (account_id, credential_id, network, item_type, status, assignee_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_item_tags
  account_id text not null
  item_id text not null
  tag_id text not null
  created timestamp with time zone not null
  FOREIGN KEY (account_id, item_id) REFERENCES inbox_items(account_id, id) ON DELETE CASCADE
  FOREIGN KEY (account_id, tag_id) REFERENCES conversation_tags(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, item_id, tag_id)
  CREATE INDEX inbox_item_tags_by_tag ON public.inbox_item_tags USING btree (account_id, tag_id, item_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_items
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  credential_id text not null
  network text not null
  item_type text not null
  origin text not null
  status text not null default ('open'::text)
  assignee_id text not null default (''::text)
  remote_key text not null
  url text not null default (''::text)
  event_date timestamp with time zone not null
  last_activity timestamp with time zone not null
  person_id text not null
  person_name text not null default (''::text)
  person_username text not null default (''::text)
  person_picture text not null default (''::text)
  post_remote_id text not null default (''::text)
  post_url text not null default (''::text)
  post_text text not null default (''::text)
  post_media jsonb not null default ('[]'::jsonb)
  postlog_id text
  text text not null default (''::text)
  media jsonb not null default ('[]'::jsonb)
  language text not null default (''::text)
  entries integer not null default (0)
  words tsvector not null default (''::tsvector)
  CHECK ((item_type = ANY (ARRAY['Conversation'::text, 'Post'::text, 'Mention'::text, 'Reply'::text])))
  CHECK ((origin = ANY (ARRAY['external'::text, 'owned'::text])))
  CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
  FOREIGN KEY (account_id, credential_id) REFERENCES credentials(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX inbox_items_by_activity ON public.inbox_items USING btree (account_id, last_activity, id)
  CREATE INDEX inbox_items_by_assignee ON public.inbox_items USING btree (account_id, assignee_id, status, last_activity, id)
  CREATE INDEX inbox_items_by_created ON public.inbox_items USING btree (account_id, created, id)
  CREATE INDEX inbox_items_by_network ON public.inbox_items USING btree (account_id, network, last_activity, id)
  CREATE INDEX inbox_items_by_profile ON public.inbox_items USING btree (account_id, credential_id, last_activity, id)
  CREATE INDEX inbox_items_by_status ON public.inbox_items USING btree (account_id, status, last_activity, id)
  CREATE INDEX inbox_items_by_type ON public.inbox_items USING btree (account_id, item_type, last_activity, id)
  CREATE INDEX inbox_items_of_person ON public.inbox_items USING btree (account_id, network, person_id, id)
  CREATE INDEX inbox_items_of_postlog ON public.inbox_items USING btree (account_id, postlog_id, id) WHERE (postlog_id IS NOT NULL)
  CREATE INDEX inbox_items_words ON public.inbox_items USING gin (words)
  CREATE UNIQUE INDEX inbox_items_key ON public.inbox_items USING btree (account_id, credential_id, remote_key)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_profiles
  account_id text not null
  credential_id text not null
  network text not null
  created timestamp with time zone not null
  next_poll timestamp with time zone not null
  polled timestamp with time zone
  failures integer not null default (0)
  error text not null default (''::text)
  push_renew timestamp with time zone
  push_error text not null default (''::text)
  marker text not null default (''::text)
  FOREIGN KEY (account_id, credential_id) REFERENCES credentials(account_id, id)
  PRIMARY KEY (account_id, credential_id)
  CREATE INDEX inbox_profiles_due ON public.inbox_profiles USING btree (account_id, next_poll, credential_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_readers
  account_id text not null
  user_id text not null
  all_before timestamp with time zone not null
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, user_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_reads
  account_id text not null
  user_id text not null
  item_id text not null
  seen timestamp with time zone not null
  FOREIGN KEY (account_id, item_id) REFERENCES inbox_items(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, user_id, item_id)
  CREATE INDEX inbox_reads_of_item ON public.inbox_reads USING btree (account_id, item_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_replies
  account_id text not null
  id text not null
  item_id text not null
  created timestamp with time zone not null
  created_by text not null
  credential_id text not null
  network text not null
  kind text not null
  text text not null
  media_ids text[] not null default ('{}'::text[])
  post_remote_id text not null default (''::text)
  parent_remote_id text not null default (''::text)
  root_remote_id text not null default (''::text)
  person_id text not null default (''::text)
  thread_remote_id text not null default (''::text)
  last_inbound timestamp with time zone
  status text not null
  error text not null default (''::text)
  remote_id text not null default (''::text)
  sent timestamp with time zone
  response_seconds integer
  CHECK ((kind = ANY (ARRAY['message'::text, 'comment'::text])))
  CHECK ((status = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text, 'unconfirmed'::text, 'withdrawn'::text])))
  FOREIGN KEY (account_id, item_id) REFERENCES inbox_items(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, id)
  CREATE INDEX inbox_replies_by_remote ON public.inbox_replies USING btree (account_id, credential_id, remote_id) WHERE (remote_id <> ''::text)
  CREATE INDEX inbox_replies_by_sent ON public.inbox_replies USING btree (account_id, sent) WHERE (sent IS NOT NULL)
  CREATE INDEX inbox_replies_of_item ON public.inbox_replies USING btree (account_id, item_id, created, id)
  CREATE INDEX inbox_replies_waiting ON public.inbox_replies USING btree (account_id, credential_id, id) WHERE (status = 'waiting'::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table inbox_views
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  name text not null
  is_shared boolean not null default (false)
  position integer not null default (0)
  filters jsonb not null default ('{}'::jsonb)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX inbox_views_by_creator ON public.inbox_views USING btree (account_id, created_by, "position", id)
  CREATE INDEX inbox_views_shared ON public.inbox_views USING btree (account_id, created, id) WHERE is_shared
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table installation
  singleton boolean not null default (true)
  created timestamp with time zone not null
  demo_api_key text
  CHECK (singleton)
  PRIMARY KEY (singleton)
  row security off

table integrations
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  type text not null
  version integer not null default (1)
  status text not null
  status_reason text not null default (''::text)
  state text not null
  cname_id text
  settings_data jsonb not null default ('{}'::jsonb)
  secret text
  CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text])))
  CHECK ((status = ANY (ARRAY['valid'::text, 'invalid'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX integrations_by_created ON public.integrations USING btree (account_id, created, id)
  CREATE INDEX integrations_by_type ON public.integrations USING btree (account_id, type, created, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table job_schedule
  name text not null
  next timestamp with time zone not null
  PRIMARY KEY (name)
  row security off

table job_workers
  id text not null
  lease_until timestamp with time zone not null
  PRIMARY KEY (id)
  row security off

table jobs
  id text not null
  queue text not null
  name text not null
  key text
  account text not null default (''::text)
  payload jsonb not null
  state text not null default ('waiting'::text)
  priority integer not null default (0)
  created timestamp with time zone not null
  due timestamp with time zone not null
  attempts integer not null default (0)
  fence bigint not null default (0)
  worker text
  last_error text
  CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'dead'::text])))
  PRIMARY KEY (account, id)
  CREATE INDEX jobs_by_state ON public.jobs USING btree (state, queue, due) WHERE (state <> 'waiting'::text)
  CREATE INDEX jobs_due ON public.jobs USING btree (due) INCLUDE (account, queue) WHERE ((state = 'waiting'::text) AND (fence >= 0))
  CREATE INDEX jobs_of_account ON public.jobs USING btree (account, queue, priority, due, id) WHERE (state = 'waiting'::text)
  CREATE INDEX jobs_of_worker ON public.jobs USING btree (worker) WHERE (state = 'running'::text)
  CREATE UNIQUE INDEX jobs_key ON public.jobs USING btree (account, name, key) WHERE ((key IS NOT NULL) AND (state = 'waiting'::text))
  row security off

table lead_activities
  account_id text not null
  id text not null
  lead_id text not null
  activity_date timestamp with time zone not null
  type text not null
  network text not null default (''::text)
  profile_id text not null default (''::text)
  postlog_id text
  data jsonb not null default ('{}'::jsonb)
  source text not null
  campaign_id text not null default (''::text)
  FOREIGN KEY (account_id, lead_id) REFERENCES leads(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, id)
  CREATE INDEX lead_activities_by_date ON public.lead_activities USING btree (account_id, activity_date, id)
  CREATE INDEX lead_activities_of_lead ON public.lead_activities USING btree (account_id, lead_id, activity_date, id)
  CREATE UNIQUE INDEX lead_activities_source ON public.lead_activities USING btree (account_id, source)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table lead_profiles
  account_id text not null
  lead_id text not null
  network text not null
  remote_id text not null
  created timestamp with time zone not null
  url text not null default (''::text)
  username text not null default (''::text)
  FOREIGN KEY (account_id, lead_id) REFERENCES leads(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, network, remote_id)
  CREATE INDEX lead_profiles_of_lead ON public.lead_profiles USING btree (account_id, lead_id, network)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table lead_remotes
  account_id text not null
  lead_id text not null
  integration_id text not null
  remote_identifier text not null default (''::text)
  linked_lead_id text not null
  FOREIGN KEY (account_id, integration_id) REFERENCES integrations(account_id, id) ON DELETE CASCADE
  FOREIGN KEY (account_id, lead_id) REFERENCES leads(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, integration_id, linked_lead_id)
  CREATE INDEX lead_remotes_of_lead ON public.lead_remotes USING btree (account_id, lead_id, integration_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table leads
  account_id text not null
  id text not null
  parent_id text
  created timestamp with time zone not null
  modified timestamp with time zone not null
  type text not null default ('person'::text)
  email text not null default (''::text)
  name text not null default (''::text)
  first_name text not null default (''::text)
  last_name text not null default (''::text)
  photo text not null default (''::text)
  phone text
  is_tracked boolean not null default (true)
  network text not null default (''::text)
  campaign_id text not null default (''::text)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX leads_by_created ON public.leads USING btree (account_id, created, id)
  CREATE INDEX leads_known_by_created ON public.leads USING btree (account_id, created, id) WHERE (email <> ''::text)
  CREATE UNIQUE INDEX leads_email ON public.leads USING btree (account_id, email) WHERE (email <> ''::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table levels
  account_id text not null
  of_kind text not null
  of_id text not null
  name text not null
  quarter timestamp with time zone not null
  value bigint not null
  at timestamp with time zone not null
  PRIMARY KEY (account_id, of_kind, of_id, name, quarter)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table link_changes
  account_id text not null
  id text not null
  link_id text not null
  at timestamp with time zone not null
  user_id text not null
  what text not null
  before text not null
  after text not null
  CHECK ((what = ANY (ARRAY['destination'::text, 'disabled'::text, 'enabled'::text])))
  FOREIGN KEY (account_id, link_id) REFERENCES links(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX link_changes_by_link ON public.link_changes USING btree (account_id, link_id, at, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table link_hashes
  hash text not null
  account text not null
  link text not null
  long_url text not null
  params text not null default ('{}'::text)
  disabled boolean not null default (false)
  changed timestamp with time zone
  PRIMARY KEY (hash)
  CREATE INDEX link_hashes_changed ON public.link_hashes USING btree (changed) WHERE (changed IS NOT NULL)
  row security off

table link_settings
  account_id text not null
  campaign_id text not null default (''::text)
  modified timestamp with time zone not null
  utm_source text
  utm_medium text
  utm_campaign text
  utm_term text
  utm_content text
  cname_id text
  respects_do_not_track boolean not null default (true)
  click_parameter text not null default (''::text)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, campaign_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table links
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  hash text not null
  campaign_id text not null
  message_id text not null
  post_id text not null default (''::text)
  credential_id text not null
  network text not null
  share_id text not null default (''::text)
  host text not null default (''::text)
  original_url text not null
  long_url text not null
  params jsonb not null default ('{}'::jsonb)
  disabled timestamp with time zone
  disabled_reason text not null default (''::text)
  counts_for jsonb not null default ('{}'::jsonb)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX links_by_created ON public.links USING btree (account_id, created, id)
  CREATE INDEX links_by_credential ON public.links USING btree (account_id, credential_id, created, id)
  CREATE UNIQUE INDEX links_by_hash ON public.links USING btree (account_id, hash)
  CREATE UNIQUE INDEX links_of_post ON public.links USING btree (account_id, post_id, credential_id, md5(original_url)) WHERE (post_id <> ''::text)
  CREATE UNIQUE INDEX links_of_share ON public.links USING btree (account_id, share_id, md5(original_url)) WHERE (share_id <> ''::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table media
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  modified_by text not null
  status text not null default ('valid'::text)
  type text not null
  name text not null
  description text not null default (''::text)
  mime_type text not null
  size bigint not null
  folder_id text
  digest text not null
  token text not null
  source text not null default (''::text)
  width integer
  height integer
  duration_ms integer
  frames_per_second double precision
  video_codec text
  audio_codec text
  pages integer
  frames integer
  CHECK ((type = ANY (ARRAY['Image'::text, 'Video'::text, 'ImageUrl'::text, 'PDF'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  FOREIGN KEY (account_id, digest) REFERENCES stored_files(account_id, digest)
  FOREIGN KEY (account_id, folder_id) REFERENCES media_folders(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX media_by_created ON public.media USING btree (account_id, created, id)
  CREATE INDEX media_by_digest ON public.media USING btree (account_id, digest)
  CREATE INDEX media_by_folder ON public.media USING btree (account_id, folder_id, created, id)
  CREATE INDEX media_by_name ON public.media USING btree (account_id, lower(name), id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table media_folders
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  name text not null
  folder_id text
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  FOREIGN KEY (account_id, folder_id) REFERENCES media_folders(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX media_folders_by_created ON public.media_folders USING btree (account_id, folder_id, created, id)
  CREATE INDEX media_folders_by_name ON public.media_folders USING btree (account_id, folder_id, lower(name), id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table media_holds
  account_id text not null
  media_id text not null
  holder text not null
  what text not null
  FOREIGN KEY (account_id, media_id) REFERENCES media(account_id, id)
  PRIMARY KEY (account_id, media_id, holder)
  CREATE INDEX media_holds_by_holder ON public.media_holds USING btree (account_id, holder)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table media_renditions
  account_id text not null
  media_id text not null
  max_bytes bigint not null
  max_width integer not null
  created timestamp with time zone not null
  digest text not null
  size bigint not null
  width integer not null
  height integer not null
  token text not null
  FOREIGN KEY (account_id, digest) REFERENCES stored_files(account_id, digest)
  FOREIGN KEY (account_id, media_id) REFERENCES media(account_id, id)
  PRIMARY KEY (account_id, media_id, max_bytes, max_width)
  CREATE INDEX media_renditions_by_digest ON public.media_renditions USING btree (account_id, digest)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table message_media
  account_id text not null
  message_id text not null
  position integer not null
  media_id text not null
  FOREIGN KEY (account_id, message_id) REFERENCES messages(account_id, id)
  PRIMARY KEY (account_id, message_id, "position")
  CREATE INDEX message_media_by_media ON public.message_media USING btree (account_id, media_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table messages
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  modified_by text not null
  campaign_id text not null
  status text not null default ('default'::text)
  network text not null
  type text not null
  subject text not null default (''::text)
  message text not null
  image_url text not null default (''::text)
  description text not null default (''::text)
  link_title text not null default (''::text)
  link_url text not null default (''::text)
  children_count integer not null default (0)
  is_board_message boolean not null default (false)
  deleted timestamp with time zone
  approve_status text not null default ('Approved'::text)
  message_length integer
  words text
  CHECK ((approve_status = ANY (ARRAY['Approved'::text, 'Pending'::text, 'Rejected'::text])))
  CHECK ((network = ANY (ARRAY['Facebook'::text, 'Twitter'::text, 'LinkedIn'::text, 'YouTube'::text, 'Instagram'::text, 'TikTok'::text])))
  CHECK ((type = ANY (ARRAY['status-update'::text, 'link-attachment'::text, 'media-attachment'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX messages_by_campaign ON public.messages USING btree (account_id, campaign_id, created, id) WHERE (deleted IS NULL)
  CREATE INDEX messages_by_words ON public.messages USING btree (account_id, words) WHERE (words <> ''::text)
  CREATE INDEX messages_pending ON public.messages USING btree (account_id, id) WHERE (approve_status = 'Pending'::text)
  CREATE INDEX messages_unweighed ON public.messages USING btree (account_id, id) WHERE (words IS NULL)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table migrations
  name text not null
  checksum text not null
  applied timestamp with time zone not null default (now())
  PRIMARY KEY (name)
  row security off

table network_challenges
  network text not null
  challenged timestamp with time zone
  delivered timestamp with time zone
  PRIMARY KEY (network)
  row security off

table network_holds
  network text not null
  until timestamp with time zone not null
  PRIMARY KEY (network)
  row security off

table network_pauses
  network text not null
  scope text not null
  holder text not null
  until timestamp with time zone not null
  PRIMARY KEY (network, scope, holder)
  row security off

table network_usage
  network text not null
  budget text not null
  period timestamp with time zone not null
  purpose text not null
  used bigint not null
  PRIMARY KEY (network, budget, period, purpose)
  row security off

table notification_settings
  account_id text not null
  user_id text not null
  email_daily boolean not null default (true)
  email_weekly boolean not null default (true)
  email_campaign_complete boolean not null default (true)
  email_on_new_assignment boolean not null default (true)
  email_on_note_added boolean not null default (true)
  email_on_note_mention boolean not null default (true)
  email_on_status_change boolean not null default (true)
  send_daily_email_report boolean not null default (false)
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, user_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table pictures
  account_id text not null
  digest bytea not null
  fetched timestamp with time zone not null
  content bytea
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, digest)
  CREATE INDEX pictures_by_age ON public.pictures USING btree (account_id, fetched)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table post_counts
  account_id text not null
  campaign_id text not null
  created_by text not null
  source text not null
  status text not null
  posts integer not null
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id)
  PRIMARY KEY (account_id, campaign_id, created_by, source, status)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table post_metrics
  account_id text not null
  post_id text not null
  credential_id text not null
  campaign_id text not null
  message_id text not null
  remote_id text not null
  published timestamp with time zone not null
  due timestamp with time zone
  last_read timestamp with time zone
  missing_since timestamp with time zone
  error text not null default (''::text)
  likes bigint
  comments bigint
  reshares bigint
  impressions bigint
  others jsonb not null default ('{}'::jsonb)
  FOREIGN KEY (account_id, post_id) REFERENCES posts(account_id, id)
  PRIMARY KEY (account_id, post_id, credential_id)
  CREATE INDEX post_metrics_due ON public.post_metrics USING btree (account_id, credential_id, due) WHERE (due IS NOT NULL)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table post_metrics_history
  account_id text not null
  post_id text not null
  credential_id text not null
  at timestamp with time zone not null
  likes bigint not null
  comments bigint not null
  reshares bigint not null
  impressions bigint not null
  FOREIGN KEY (account_id, post_id, credential_id) REFERENCES post_metrics(account_id, post_id, credential_id)
  PRIMARY KEY (account_id, post_id, credential_id, at)
  CREATE INDEX post_metrics_history_by_moment ON public.post_metrics_history USING btree (account_id, at)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table postlogs
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  post_id text not null
  campaign_id text not null
  message_id text not null
  credential_id text not null
  network text not null
  status text not null
  is_unconfirmed boolean not null default (false)
  remote_id text not null default (''::text)
  remote_url text not null default (''::text)
  error text not null default (''::text)
  published_date timestamp with time zone
  CHECK ((status = ANY (ARRAY['success'::text, 'failed'::text])))
  FOREIGN KEY (account_id, post_id) REFERENCES posts(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX postlogs_by_moment ON public.postlogs USING btree (account_id, COALESCE(published_date, modified))
  CREATE INDEX postlogs_sent ON public.postlogs USING btree (account_id, credential_id, COALESCE(published_date, modified)) WHERE (status = 'success'::text)
  CREATE UNIQUE INDEX postlogs_by_post ON public.postlogs USING btree (account_id, post_id, credential_id)
  CREATE UNIQUE INDEX postlogs_by_remote ON public.postlogs USING btree (account_id, credential_id, remote_id) WHERE (remote_id <> ''::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table posts
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  modified_by text not null
  status text not null
  approve_status text not null
  source text not null
  content_source text not null default ('User'::text)
  queued boolean not null
  campaign_id text not null
  board_id text not null default (''::text)
  message_id text not null
  message_child_id text not null default (''::text)
  network text not null
  start_date_time timestamp with time zone not null
  credential_ids text[] not null
  targeting_preset_id text
  groups text not null default (''::text)
  groups_count integer not null default (0)
  target_geo text not null default (''::text)
  update_status integer not null default (0)
  flag text not null default ('discussion'::text)
  promotion text not null default ('organic'::text)
  utm text not null default (''::text)
  sent timestamp with time zone
  awaits_message boolean not null default (false)
  CHECK (((approve_status = 'Approved'::text) OR (status = ANY (ARRAY['draft'::text, 'inqueue-draft'::text]))))
  CHECK ((approve_status = ANY (ARRAY['Approved'::text, 'Pending'::text, 'Rejected'::text])))
  CHECK ((promotion = ANY (ARRAY['promoted'::text, 'organic'::text, 'unknown'::text])))
  CHECK ((source = ANY (ARRAY['UI'::text, 'API'::text, 'Autoposter'::text, 'Bookmarklet'::text, 'Board'::text, 'Embedded'::text])))
  CHECK ((status = ANY (ARRAY['draft'::text, 'inqueue-draft'::text, 'pending'::text, 'inqueue'::text, 'complete'::text, 'incomplete'::text, 'error'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id)
  FOREIGN KEY (account_id, message_id) REFERENCES messages(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX posts_by_campaign ON public.posts USING btree (account_id, campaign_id, created, id)
  CREATE INDEX posts_by_campaign_modified ON public.posts USING btree (account_id, campaign_id, modified, id)
  CREATE INDEX posts_by_campaign_start ON public.posts USING btree (account_id, campaign_id, start_date_time, id)
  CREATE INDEX posts_by_created ON public.posts USING btree (account_id, created, id)
  CREATE INDEX posts_by_creator ON public.posts USING btree (account_id, created_by, created, id)
  CREATE INDEX posts_by_message ON public.posts USING btree (account_id, message_id, created, id)
  CREATE INDEX posts_by_modified ON public.posts USING btree (account_id, modified, id)
  CREATE INDEX posts_by_source ON public.posts USING btree (account_id, source, created, id)
  CREATE INDEX posts_by_start ON public.posts USING btree (account_id, start_date_time, id)
  CREATE INDEX posts_by_status ON public.posts USING btree (account_id, status, created, id)
  CREATE INDEX posts_by_status_start ON public.posts USING btree (account_id, status, start_date_time, id)
  CREATE INDEX posts_pending ON public.posts USING btree (account_id, id) WHERE (approve_status = 'Pending'::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table profile_lanes
  credential text not null
  account text not null
  network text not null
  due timestamp with time zone
  not_before timestamp with time zone
  wakes bigint not null default (0)
  worker text
  fence bigint not null default (0)
  PRIMARY KEY (account, credential)
  CREATE INDEX profile_lanes_due ON public.profile_lanes USING btree (due) INCLUDE (account) WHERE ((worker IS NULL) AND (due IS NOT NULL) AND (fence >= 0))
  CREATE INDEX profile_lanes_of_account ON public.profile_lanes USING btree (account, due, credential) WHERE ((worker IS NULL) AND (due IS NOT NULL))
  CREATE INDEX profile_lanes_of_worker ON public.profile_lanes USING btree (worker) WHERE (worker IS NOT NULL)
  row security off

table profile_metrics
  account_id text not null
  credential_id text not null
  network text not null
  created timestamp with time zone not null
  not_before timestamp with time zone not null
  failures integer not null default (0)
  error text not null default (''::text)
  followers_due timestamp with time zone not null
  FOREIGN KEY (account_id, credential_id) REFERENCES credentials(account_id, id)
  PRIMARY KEY (account_id, credential_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table push_addresses
  network text not null
  remote_id text not null
  account text not null
  credential_id text not null
  PRIMARY KEY (network, remote_id, account)
  row security off

table quarter_figures
  account_id text not null
  of_kind text not null
  name text not null
  quarter timestamp with time zone not null
  of_id text not null
  value bigint not null
  PRIMARY KEY (account_id, of_kind, name, quarter, of_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table queue_slots
  account_id text not null
  credential_id text not null
  weekday integer not null
  minutes integer not null
  CHECK (((minutes >= 0) AND (minutes <= 1439)))
  CHECK (((weekday >= 0) AND (weekday <= 6)))
  FOREIGN KEY (account_id, credential_id) REFERENCES credentials(account_id, id)
  PRIMARY KEY (account_id, credential_id, weekday, minutes)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table restricted_entities
  account_id text not null
  entity_id text not null
  created timestamp with time zone not null
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, entity_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table saved_views
  account_id text not null
  id text not null
  user_id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  screen text not null
  name text not null
  search text not null
  CHECK ((screen = ANY (ARRAY['calendar'::text, 'campaigns'::text])))
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE UNIQUE INDEX saved_views_of_user ON public.saved_views USING btree (account_id, user_id, screen, lower(name))
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table sending_state
  singleton boolean not null default (true)
  alive timestamp with time zone not null
  hold_before timestamp with time zone not null
  CHECK (singleton)
  PRIMARY KEY (singleton)
  row security off

table sends
  account_id text not null
  content_id text not null
  credential_id text not null
  kind text not null
  group_id text not null default (''::text)
  network text not null
  state text not null
  planned timestamp with time zone not null
  due timestamp with time zone
  slot timestamp with time zone
  attempts integer not null default (0)
  searches integer not null default (0)
  intent timestamp with time zone
  progress jsonb
  error text not null default (''::text)
  fence bigint not null default (0)
  remote_id text not null default (''::text)
  is_late boolean not null generated as ((state = 'late'::text))
  CHECK ((state = ANY (ARRAY['idle'::text, 'waiting'::text, 'late'::text, 'preparing'::text, 'sending'::text, 'unknown'::text, 'sent'::text, 'failed'::text, 'unconfirmed'::text])))
  PRIMARY KEY (account_id, content_id, credential_id, kind)
  CREATE INDEX sends_due ON public.sends USING btree (account_id, credential_id, due, content_id, kind) WHERE (due IS NOT NULL)
  CREATE INDEX sends_late ON public.sends USING btree (account_id, content_id) WHERE is_late
  CREATE INDEX sends_of_group ON public.sends USING btree (account_id, group_id, due)
  CREATE UNIQUE INDEX sends_slot ON public.sends USING btree (account_id, credential_id, slot) WHERE (slot IS NOT NULL)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table sessions
  account_id text not null
  id text not null
  user_id text not null
  created timestamp with time zone not null
  last_used timestamp with time zone not null
  ends timestamp with time zone not null
  stays boolean not null default (false)
  address text not null
  agent text not null
  digest bytea not null
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX sessions_by_user ON public.sessions USING btree (account_id, user_id, last_used, id)
  CREATE UNIQUE INDEX sessions_digest ON public.sessions USING btree (account_id, digest)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table shares
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  user_id text not null
  board_id text not null
  story_id text not null
  message_id text not null
  campaign_id text not null
  credential_id text not null
  network text not null
  type text not null
  message text not null
  subject text not null default (''::text)
  link_url text not null default (''::text)
  link_title text not null default (''::text)
  description text not null default (''::text)
  image_url text not null default (''::text)
  media_ids text[] not null default ('{}'::text[])
  repost_of text not null default (''::text)
  start_date_time timestamp with time zone not null
  status text not null
  is_unconfirmed boolean not null default (false)
  remote_id text not null default (''::text)
  remote_url text not null default (''::text)
  error text not null default (''::text)
  published_date timestamp with time zone
  CHECK ((status = ANY (ARRAY['pending'::text, 'complete'::text, 'error'::text])))
  PRIMARY KEY (account_id, id)
  CREATE INDEX shares_by_board ON public.shares USING btree (account_id, board_id, created, id)
  CREATE INDEX shares_by_credential ON public.shares USING btree (account_id, credential_id, id) WHERE (status = 'pending'::text)
  CREATE INDEX shares_by_published ON public.shares USING btree (account_id, published_date) WHERE (status = 'complete'::text)
  CREATE INDEX shares_by_user ON public.shares USING btree (account_id, user_id, created, id)
  CREATE INDEX shares_of_member ON public.shares USING btree (account_id, board_id, user_id, created, id)
  CREATE INDEX shares_of_story ON public.shares USING btree (account_id, story_id, network, start_date_time)
  CREATE UNIQUE INDEX shares_by_remote ON public.shares USING btree (account_id, credential_id, remote_id) WHERE (remote_id <> ''::text)
  CREATE UNIQUE INDEX shares_once ON public.shares USING btree (account_id, story_id, credential_id) WHERE ((story_id <> ''::text) AND (status <> 'error'::text))
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table short_hosts
  host text not null
  account text not null
  cname text not null
  PRIMARY KEY (host)
  row security off

table sign_in_links
  account_id text not null
  user_id text not null
  purpose text not null
  created timestamp with time zone not null
  ends timestamp with time zone not null
  digest bytea not null
  CHECK ((purpose = ANY (ARRAY['invitation'::text, 'reset'::text, 'entry'::text, 'board'::text])))
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, user_id, purpose)
  CREATE UNIQUE INDEX sign_in_links_digest ON public.sign_in_links USING btree (account_id, digest)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table sign_in_tries
  subject bytea not null
  tries integer not null
  last timestamp with time zone not null
  known timestamp with time zone
  PRIMARY KEY (subject)
  CREATE INDEX sign_in_tries_by_last ON public.sign_in_tries USING btree (last)
  row security off

table stored_files
  account_id text not null
  digest text not null
  bytes bigint not null
  uses integer not null
  removing boolean not null default (false)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, digest)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table stories
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  modified_by text not null
  board_id text not null
  campaign_id text not null
  publish_date timestamp with time zone not null
  expiration_date timestamp with time zone not null
  is_featured boolean not null default (false)
  title text
  description text not null default (''::text)
  postlog_id text not null default (''::text)
  type text not null default ('text'::text)
  status text not null
  image_url text
  link_title text
  link_url text
  link_description text
  link_content text
  alt_texts jsonb
  video_title text
  video_preview text
  video_subtitle text
  preview_frame text
  workflow_id text
  is_approved boolean not null default (false)
  phase text not null
  turns timestamp with time zone
  share_count integer not null default (0)
  CHECK ((phase = ANY (ARRAY['draft'::text, 'pending'::text, 'rejected'::text, 'active'::text, 'scheduled'::text, 'published'::text, 'expired'::text])))
  CHECK ((status = ANY (ARRAY['draft'::text, 'pending'::text, 'rejected'::text, 'approved'::text, 'active'::text])))
  CHECK ((type = ANY (ARRAY['text'::text, 'post-attachment'::text])))
  FOREIGN KEY (account_id, board_id) REFERENCES boards(account_id, id)
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX stories_approved ON public.stories USING btree (account_id, publish_date, id) WHERE is_approved
  CREATE INDEX stories_by_created ON public.stories USING btree (account_id, created, id)
  CREATE INDEX stories_by_creator ON public.stories USING btree (account_id, created_by, publish_date, id)
  CREATE INDEX stories_by_expiration_date ON public.stories USING btree (account_id, expiration_date, id)
  CREATE INDEX stories_by_is_featured ON public.stories USING btree (account_id, is_featured, id)
  CREATE INDEX stories_by_publish_date ON public.stories USING btree (account_id, publish_date, id)
  CREATE INDEX stories_by_share_count ON public.stories USING btree (account_id, share_count, id)
  CREATE INDEX stories_featured ON public.stories USING btree (account_id, publish_date, id) WHERE is_featured
  CREATE INDEX stories_in_phase_by_created ON public.stories USING btree (account_id, phase, created, id)
  CREATE INDEX stories_in_phase_by_expiration_date ON public.stories USING btree (account_id, phase, expiration_date, id)
  CREATE INDEX stories_in_phase_by_is_featured ON public.stories USING btree (account_id, phase, is_featured, id)
  CREATE INDEX stories_in_phase_by_publish_date ON public.stories USING btree (account_id, phase, publish_date, id)
  CREATE INDEX stories_in_phase_by_share_count ON public.stories USING btree (account_id, phase, share_count, id)
  CREATE INDEX stories_of_board_by_created ON public.stories USING btree (account_id, board_id, created, id)
  CREATE INDEX stories_of_board_by_expiration_date ON public.stories USING btree (account_id, board_id, expiration_date, id)
  CREATE INDEX stories_of_board_by_is_featured ON public.stories USING btree (account_id, board_id, is_featured, id)
  CREATE INDEX stories_of_board_by_publish_date ON public.stories USING btree (account_id, board_id, publish_date, id)
  CREATE INDEX stories_of_board_by_share_count ON public.stories USING btree (account_id, board_id, share_count, id)
  CREATE INDEX stories_reposts ON public.stories USING btree (account_id, publish_date, id) WHERE (type = 'post-attachment'::text)
  CREATE INDEX stories_turning ON public.stories USING btree (account_id, turns, id) WHERE (turns IS NOT NULL)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table story_counts
  account_id text not null
  board_id text not null
  created_by text not null
  phase text not null
  is_featured boolean not null
  is_repost boolean not null
  is_approved boolean not null
  stories integer not null
  PRIMARY KEY (account_id, board_id, created_by, phase, is_featured, is_repost, is_approved)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table story_media
  account_id text not null
  story_id text not null
  position integer not null
  media_id text not null
  FOREIGN KEY (account_id, story_id) REFERENCES stories(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, story_id, "position")
  CREATE INDEX story_media_by_media ON public.story_media USING btree (account_id, media_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table story_messages
  account_id text not null
  story_id text not null
  message_id text not null
  position integer not null
  given integer not null default (0)
  FOREIGN KEY (account_id, message_id) REFERENCES messages(account_id, id)
  FOREIGN KEY (account_id, story_id) REFERENCES stories(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, story_id, message_id)
  CREATE INDEX story_messages_by_message ON public.story_messages USING btree (account_id, message_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table story_offers
  account_id text not null
  story_id text not null
  user_id text not null
  network text not null
  message_id text not null
  created timestamp with time zone not null
  PRIMARY KEY (account_id, story_id, user_id, network)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table story_topics
  account_id text not null
  story_id text not null
  topic_id text not null
  FOREIGN KEY (account_id, story_id) REFERENCES stories(account_id, id) ON DELETE CASCADE
  FOREIGN KEY (account_id, topic_id) REFERENCES topics(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, story_id, topic_id)
  CREATE INDEX story_topics_by_topic ON public.story_topics USING btree (account_id, topic_id, story_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table stream_feeds
  account_id text not null
  id text not null
  created timestamp with time zone not null
  credential_id text not null
  network text not null
  type text not null
  keyword text not null default (''::text)
  looked timestamp with time zone not null
  not_before timestamp with time zone not null
  fetched timestamp with time zone
  failed timestamp with time zone
  failures integer not null default (0)
  error text not null default (''::text)
  last_place integer not null default (0)
  FOREIGN KEY (account_id, credential_id) REFERENCES credentials(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE UNIQUE INDEX stream_feeds_asked ON public.stream_feeds USING btree (account_id, credential_id, type, keyword)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table stream_items
  account_id text not null
  feed_id text not null
  remote_id text not null
  place integer not null
  kind text not null
  at timestamp with time zone not null
  post_id text not null default (''::text)
  person_id text not null default (''::text)
  person_name text not null default (''::text)
  person_username text not null default (''::text)
  person_picture text not null default (''::text)
  text text not null default (''::text)
  media jsonb not null default ('[]'::jsonb)
  url text not null default (''::text)
  FOREIGN KEY (account_id, feed_id) REFERENCES stream_feeds(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, feed_id, remote_id)
  CREATE INDEX stream_items_by_place ON public.stream_items USING btree (account_id, feed_id, place)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table stream_tabs
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  name text not null
  status text not null default ('active'::text)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX stream_tabs_by_created ON public.stream_tabs USING btree (account_id, created, id)
  CREATE INDEX stream_tabs_by_name ON public.stream_tabs USING btree (account_id, lower(name), id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table streams
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  stream_tab_id text not null
  feed_id text not null
  credential_id text not null
  network text not null
  type text not null
  name text not null
  position integer not null
  FOREIGN KEY (account_id, feed_id) REFERENCES stream_feeds(account_id, id)
  FOREIGN KEY (account_id, stream_tab_id) REFERENCES stream_tabs(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX streams_by_created ON public.streams USING btree (account_id, created, id)
  CREATE INDEX streams_by_position ON public.streams USING btree (account_id, "position", id)
  CREATE INDEX streams_of_feed ON public.streams USING btree (account_id, feed_id, id)
  CREATE INDEX streams_of_tab ON public.streams USING btree (account_id, stream_tab_id, "position", id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table tagged
  account_id text not null
  entity_id text not null
  tag_id text not null
  FOREIGN KEY (account_id, tag_id) REFERENCES tags(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, entity_id, tag_id)
  CREATE INDEX tagged_by_tag ON public.tagged USING btree (account_id, tag_id, entity_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table tags
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  tag text not null
  last_used_date timestamp with time zone
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX tags_by_created ON public.tags USING btree (account_id, created, id)
  CREATE INDEX tags_by_last_used ON public.tags USING btree (account_id, last_used_date, id)
  CREATE UNIQUE INDEX tags_by_tag ON public.tags USING btree (account_id, lower(tag))
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table targeting_presets
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  credential_id text not null
  name text not null
  company_size text[] not null
  industry text[] not null
  function text[] not null
  seniority text[] not null
  geography text[] not null
  language text[] not null
  FOREIGN KEY (account_id, credential_id) REFERENCES credentials(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX targeting_presets_by_credential ON public.targeting_presets USING btree (account_id, credential_id, created, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table team_entities
  account_id text not null
  entity_id text not null
  team_id text not null
  created timestamp with time zone not null
  FOREIGN KEY (account_id, team_id) REFERENCES teams(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, entity_id, team_id)
  CREATE INDEX team_entities_by_team ON public.team_entities USING btree (account_id, team_id, entity_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table teams
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  name text not null
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX teams_by_created ON public.teams USING btree (account_id, created, id)
  CREATE INDEX teams_by_name ON public.teams USING btree (account_id, lower(name), id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table topic_subscriptions
  account_id text not null
  topic_id text not null
  user_id text not null
  board_id text not null
  created timestamp with time zone not null
  FOREIGN KEY (account_id, board_id, user_id) REFERENCES board_members(account_id, board_id, user_id) ON DELETE CASCADE
  FOREIGN KEY (account_id, topic_id) REFERENCES topics(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, topic_id, user_id)
  CREATE INDEX topic_subscriptions_by_user ON public.topic_subscriptions USING btree (account_id, user_id, board_id, topic_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table topics
  account_id text not null
  id text not null
  board_id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  name text not null
  used integer not null default (0)
  subscribers integer not null default (0)
  last_used timestamp with time zone
  FOREIGN KEY (account_id, board_id) REFERENCES boards(account_id, id) ON DELETE CASCADE
  PRIMARY KEY (account_id, id)
  CREATE INDEX topics_by_created ON public.topics USING btree (account_id, created, id)
  CREATE INDEX topics_by_name ON public.topics USING btree (account_id, lower(name), id)
  CREATE INDEX topics_of_board ON public.topics USING btree (account_id, board_id, created, id)
  CREATE UNIQUE INDEX topics_name ON public.topics USING btree (account_id, board_id, lower(name))
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table uploads
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  status text not null default ('pending'::text)
  name text not null
  mime_type text not null
  total_size bigint not null
  downloaded bigint not null default (0)
  source text not null
  last_error text
  attempts integer not null default (0)
  media_id text
  folder_id text
  reserved bigint not null
  etag text
  last_modified text
  accepts_ranges boolean not null default (true)
  CHECK ((status = ANY (ARRAY['pending'::text, 'failed'::text, 'complete'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX uploads_by_created ON public.uploads USING btree (account_id, created, id)
  CREATE INDEX uploads_by_source ON public.uploads USING btree (account_id, source, created, id)
  CREATE INDEX uploads_by_status ON public.uploads USING btree (account_id, status, created, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table user_emails
  email text not null
  account text not null
  user_id text not null
  PRIMARY KEY (email, account)
  row security off

table users
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  status text not null default ('active'::text)
  first_name text not null
  last_name text not null
  name text not null generated as (btrim(((first_name || ' '::text) || last_name)))
  email text not null
  role text
  password_hash text
  timezone text not null default ('UTC'::text)
  media_library boolean not null default (true)
  last_login timestamp with time zone
  last_board_login timestamp with time zone
  has_browser_extension boolean not null default (false)
  linked_in_id text not null default (''::text)
  linked_in_name text not null default (''::text)
  linked_in_image_url text not null default (''::text)
  twitter_id text not null default (''::text)
  twitter_name text not null default (''::text)
  twitter_image_url text not null default (''::text)
  facebook_id text not null default (''::text)
  facebook_name text not null default (''::text)
  facebook_image_url text not null default (''::text)
  invited timestamp with time zone
  invited_by text not null default (''::text)
  invited_advocate boolean not null default (false)
  CHECK ((role = ANY (ARRAY['admin'::text, 'publisher'::text, 'contributor'::text, 'read'::text])))
  CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'deleted'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX users_approvers ON public.users USING btree (account_id, id) WHERE ((status = 'active'::text) AND (role = ANY (ARRAY['admin'::text, 'publisher'::text])))
  CREATE INDEX users_by_created ON public.users USING btree (account_id, created, id) WHERE ((status <> 'deleted'::text) AND (role IS NOT NULL))
  CREATE INDEX users_by_email ON public.users USING btree (account_id, lower(email), id) WHERE ((status <> 'deleted'::text) AND (role IS NOT NULL))
  CREATE INDEX users_by_name ON public.users USING btree (account_id, lower(name), id) WHERE ((status <> 'deleted'::text) AND (role IS NOT NULL))
  CREATE INDEX users_invited ON public.users USING btree (account_id, invited, id) WHERE ((invited IS NOT NULL) AND (password_hash IS NULL))
  CREATE UNIQUE INDEX users_email ON public.users USING btree (account_id, lower(email)) WHERE (status <> 'deleted'::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table webhook_deliveries
  account_id text not null
  id text not null
  webhook_id text not null
  event_id text not null
  attempts integer not null default (0)
  due timestamp with time zone
  last_error text not null default (''::text)
  PRIMARY KEY (account_id, id)
  CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (account_id, webhook_id, due, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table webhook_lanes
  webhook text not null
  account text not null
  due timestamp with time zone
  pace text not null default ('new'::text)
  wakes bigint not null default (0)
  worker text
  fence bigint not null default (0)
  CHECK ((pace = ANY (ARRAY['new'::text, 'fast'::text, 'slow'::text])))
  PRIMARY KEY (account, webhook)
  CREATE INDEX webhook_lanes_due ON public.webhook_lanes USING btree (due) INCLUDE (account, pace) WHERE ((worker IS NULL) AND (due IS NOT NULL) AND (fence >= 0))
  CREATE INDEX webhook_lanes_of_account ON public.webhook_lanes USING btree (account, pace, due, webhook) WHERE ((worker IS NULL) AND (due IS NOT NULL))
  CREATE INDEX webhook_lanes_of_worker ON public.webhook_lanes USING btree (worker) WHERE (worker IS NOT NULL)
  row security off

table webhook_log
  account_id text not null
  id text not null
  webhook_id text not null
  webhook_payload_id text not null
  event_id text not null
  created timestamp with time zone not null
  attempt integer not null
  succeeded boolean not null
  response_code integer not null
  execution_time double precision not null
  error text not null
  PRIMARY KEY (account_id, webhook_payload_id, id)
  CREATE INDEX webhook_log_by_webhook ON public.webhook_log USING btree (account_id, webhook_id, created, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table webhooks
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  name text not null
  description text not null
  event text not null
  url text not null
  is_enabled boolean not null
  is_hidden boolean not null
  secret text not null
  previous_secret text
  previous_until timestamp with time zone
  last_execution_date timestamp with time zone not null default ('1970-01-01 00:00:00+00'::timestamp with time zone)
  failing_since timestamp with time zone
  disabled_reason text not null default (''::text)
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX webhooks_by_event ON public.webhooks USING btree (account_id, event, id)
  CREATE INDEX webhooks_by_name ON public.webhooks USING btree (account_id, lower(name), id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table workflow_approvers
  account_id text not null
  step_id text not null
  user_id text not null
  FOREIGN KEY (account_id, step_id) REFERENCES workflow_steps(account_id, id) ON DELETE CASCADE
  FOREIGN KEY (account_id, user_id) REFERENCES users(account_id, id)
  PRIMARY KEY (account_id, step_id, user_id)
  CREATE INDEX workflow_approvers_by_user ON public.workflow_approvers USING btree (account_id, user_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table workflow_decisions
  account_id text not null
  item_id text not null
  round integer not null
  step_id text not null
  user_id text not null
  created timestamp with time zone not null
  is_approve boolean not null
  note text not null default (''::text)
  FOREIGN KEY (account_id, item_id) REFERENCES workflow_items(account_id, id)
  PRIMARY KEY (account_id, item_id, round, step_id, user_id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table workflow_items
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  status text not null
  entity_id text not null
  scope_id text not null
  message_id text not null default (''::text)
  post_id text not null default (''::text)
  story_id text not null default (''::text)
  network text not null default (''::text)
  workflow_id text not null
  step_id text not null
  round integer not null default (1)
  waiting_since timestamp with time zone not null
  reminded timestamp with time zone
  CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'removed'::text])))
  FOREIGN KEY (account_id, step_id) REFERENCES workflow_steps(account_id, id)
  FOREIGN KEY (account_id, workflow_id) REFERENCES workflows(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX workflow_items_by_author ON public.workflow_items USING btree (account_id, created_by, created, id)
  CREATE INDEX workflow_items_by_created ON public.workflow_items USING btree (account_id, created, id) WHERE (status = 'pending'::text)
  CREATE INDEX workflow_items_by_entity ON public.workflow_items USING btree (account_id, entity_id, created, id)
  CREATE INDEX workflow_items_by_step ON public.workflow_items USING btree (account_id, step_id, created, id) WHERE (status = 'pending'::text)
  CREATE INDEX workflow_items_by_workflow ON public.workflow_items USING btree (account_id, workflow_id, created, id) WHERE (status = 'pending'::text)
  CREATE INDEX workflow_items_decided ON public.workflow_items USING btree (account_id, modified, id) WHERE (status = ANY (ARRAY['approved'::text, 'rejected'::text]))
  CREATE UNIQUE INDEX workflow_items_waiting ON public.workflow_items USING btree (account_id, entity_id) WHERE (status = 'pending'::text)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table workflow_notes
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  user_id text not null
  status text not null default ('active'::text)
  entity_id text not null
  text text not null
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX workflow_notes_by_entity ON public.workflow_notes USING btree (account_id, entity_id, created, id)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table workflow_steps
  account_id text not null
  id text not null
  created timestamp with time zone not null
  workflow_id text not null
  position integer not null
  name text not null
  must_be_approved_by_everyone boolean not null
  removed timestamp with time zone
  approver_roles text[] not null default ('{}'::text[])
  CHECK ((approver_roles <@ ARRAY['admin'::text, 'publisher'::text]))
  FOREIGN KEY (account_id, workflow_id) REFERENCES workflows(account_id, id)
  PRIMARY KEY (account_id, id)
  CREATE UNIQUE INDEX workflow_steps_by_position ON public.workflow_steps USING btree (account_id, workflow_id, "position") WHERE (removed IS NULL)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table workflow_wordings
  account_id text not null
  item_id text not null
  round integer not null
  created timestamp with time zone not null
  created_by text not null
  parts jsonb not null
  FOREIGN KEY (account_id, item_id) REFERENCES workflow_items(account_id, id)
  PRIMARY KEY (account_id, item_id, round)
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

table workflows
  account_id text not null
  id text not null
  created timestamp with time zone not null
  modified timestamp with time zone not null
  created_by text not null
  name text not null
  status text not null default ('active'::text)
  is_default boolean not null default (false)
  CHECK (((NOT is_default) OR (status = 'active'::text)))
  CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text])))
  FOREIGN KEY (account_id) REFERENCES accounts(id)
  PRIMARY KEY (account_id, id)
  CREATE INDEX workflows_by_created ON public.workflows USING btree (account_id, created, id)
  CREATE UNIQUE INDEX workflows_default ON public.workflows USING btree (account_id) WHERE is_default
  policy own_account to chorus_app using (account_id = chorus_account())
  policy owner using true
  row security forced

