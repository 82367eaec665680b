import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoints } from '#main/registry.ts'
import { ownerQuery, stopAsking } from '../support/database/owner.ts'
import { deep } from '../support/randomness.ts'
import { demoAccount, startTestService, type TestService } from '../support/service.ts'

const accounts = 10
const rowsPerAccount = 100
/** Factor by which the planner's statistics exceed the actual rows: its choice depends on the statistics alone. */
const times = 100

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  // The rows are valid by construction, so foreign keys need not be checked.
  const address = new URL(service.databaseUrl)
  address.searchParams.set('options', '-c session_replication_role=replica')
  const url = address.href
  await ownerQuery(
    url,
    `insert into accounts (id, created, modified, name)
    select '001bulk' || lpad(a::text, 8, '0'), now(), now(), 'Bulk' from generate_series(2, ${accounts}) a`,
  )
  const each = `(select id as account_id, n from accounts, generate_series(1, ${rowsPerAccount}) n where id <> '001demo00000002') x`
  await ownerQuery(
    url,
    `insert into users (account_id, id, created, modified, first_name, last_name, email, role)
    select account_id, '00Ab' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), 'First' || (n * 7919 % 10000), 'Last', 'bulk' || n || '@example.com', 'read' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into teams (account_id, id, created, modified, name)
    select account_id, '025b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), 'Team ' || (n * 7919 % 10000) from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into team_entities (account_id, entity_id, team_id, created)
    select account_id, '00Ab' || lpad(n::text, 11, '0'), '025b' || lpad((n % 100 + 1)::text, 11, '0'), now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into restricted_entities (account_id, entity_id, created)
    select account_id, 'cwfb' || lpad(n::text, 11, '0'), now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into webhooks (account_id, id, created, modified, created_by, name, description, event, url, is_enabled, is_hidden, secret)
    select account_id, '0WAb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Hook ' || (n * 7919 % 10000), '', case n % 50 when 0 then 'postSent' else 'newLead' end, 'https://example.com', true, false, '' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into exports (account_id, id, created, modified, created_by, type, destination_type, destination, status, frequency, weekday, month_day, hour, timezone, time_range, last_run)
    select account_id, '032b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', case when n % 2 = 0 then 'Posts' else 'Clicks' end, case when n % 3 = 0 then 'FTP' else 'email' end, '{}', case when n % 50 = 0 then 'inactive' else 'active' end, case when n % 4 = 0 then 'weekly' else 'daily' end, 1, 1, 6, 'UTC', 'yesterday', now() - n * interval '1 hour' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into export_runs (account_id, id, export_id, created, created_by, starts, ends, status)
    select account_id, '0erb' || lpad(n::text, 11, '0'), '032b' || lpad((n % 100 + 1)::text, 11, '0'), now() - n * interval '1 minute', '', now(), now(), 'done' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into webhook_log (account_id, id, webhook_id, webhook_payload_id, event_id, created, attempt, succeeded, response_code, execution_time, error)
    select account_id, '0WCb' || lpad(n::text, 11, '0'), '0WAb' || lpad((n % 100 + 1)::text, 11, '0'), '', '', now() - n * interval '1 minute', 1, true, 200, 0.1, '' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
    select account_id, '003-9-' || n, now() - n * interval '1 minute', now(), '', case n % 50 when 0 then 'Xing' else 'LinkedIn' end, n::text, 'page', 'Profile ' || (n * 7919 % 10000), '', '', case n % 10 when 0 then 'invalid' else 'valid' end from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into targeting_presets (account_id, id, created, modified, credential_id, name, company_size, industry, function, seniority, geography, language)
    select account_id, '0tpb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '003-9-' || (n % 100 + 1), 'Preset ' || n, '{}', '{}', '{}', '{}', '{}', '{}' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into media_folders (account_id, id, created, modified, created_by, name, folder_id)
    select account_id, '035b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Folder ' || (n * 7919 % 10000), case when n > ${rowsPerAccount / 2} then '035b' || lpad((n % 100 + 1)::text, 11, '0') end from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into stored_files (account_id, digest, bytes, uses) select id, 'bulk', 1, 10000 from accounts where id <> '001demo00000002'`,
  )
  await ownerQuery(
    url,
    `insert into media (account_id, id, created, modified, created_by, modified_by, type, name, mime_type, size, folder_id, digest, token)
    select account_id, '026b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', case n % 50 when 0 then 'PDF' else 'Image' end, 'Picture ' || (n * 7919 % 10000), 'image/png', 1, case when n > ${rowsPerAccount / 2} then '035b' || lpad((n % 10 + 1)::text, 11, '0') end, 'bulk', '' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into uploads (account_id, id, created, modified, created_by, status, name, mime_type, total_size, source, reserved)
    select account_id, '0upb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', case n % 50 when 0 then 'failed' else 'complete' end, 'Picture', 'image/png', 1, 'https://example.com/' || (n % 500), 1 from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into tags (account_id, id, created, modified, created_by, tag)
    select account_id, '0AFb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Tag ' || (n * 7919 % 10000) from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into conversation_tags (account_id, id, created, modified, created_by, value)
    select account_id, 'etgb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Tag ' || (n * 7919 % 10000) from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into canned_responses (account_id, id, created, modified, created_by, name, content, visibility)
    select account_id, 'cnrb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Response ' || (n * 7919 % 10000), 'Soon', case n % 50 when 0 then 'private' else 'shared' end from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
    select account_id, '002b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', 'Campaign ' || (n * 7919 % 10000), case n % 50 when 0 then 'paused' else 'active' end, '#000000' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message)
    select account_id, '005b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', '002b' || lpad((n % 100 + 1)::text, 11, '0'), case n % 5 when 0 then 'Twitter' else 'LinkedIn' end, 'status-update', 'Text' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id, message_id, network, start_date_time, credential_ids)
    select account_id, '004b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now() - n * interval '1 second', '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), '', case n % 50 when 0 then 'error' when 1 then 'pending' else 'complete' end, 'Approved', case n % 50 when 0 then 'Board' else 'API' end, false, '002b' || lpad((n % 100 + 1)::text, 11, '0'), '005b' || lpad((n % 1000 + 1)::text, 11, '0'), 'LinkedIn', now() - n * interval '1 hour', '{003-9-7}' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into post_counts (account_id, campaign_id, created_by, source, status, posts)
    select account_id, campaign_id, created_by, source, status, count(*) from posts group by 1, 2, 3, 4, 5 on conflict do nothing`,
  )
  await ownerQuery(
    url,
    `insert into sends (account_id, content_id, credential_id, kind, group_id, network, state, planned)
    select account_id, id, '003-9-7', 'first-comment', campaign_id, network, 'sent', start_date_time from posts where id like '004b%'`,
  )
  await ownerQuery(
    url,
    `insert into first_comments (account_id, id, post_id, text)
    select account_id, '0fcb' || right(id, 11), id, 'First' from posts where id like '004b%'`,
  )
  await ownerQuery(
    url,
    `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status)
    select account_id, '007b' || right(id, 11), now(), now(), id, campaign_id, message_id, '003-9-7', network, 'success' from posts where id like '004b%'`,
  )
  await ownerQuery(
    url,
    `insert into message_media (account_id, message_id, position, media_id)
    select account_id, id, 0, '026b' || right(id, 11) from messages where id like '005b%'`,
  )
  await ownerQuery(
    url,
    `insert into tagged (account_id, entity_id, tag_id)
    select account_id, case n % 2 when 0 then '002b' else '005b' end || lpad(n::text, 11, '0'), '0AFb' || lpad((n % 100 + 1)::text, 11, '0') from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into custom_events (account_id, id, created, modified, created_by, title, start_date_time, end_date_time)
    select account_id, '0CEb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now() - n * interval '1 second', '', 'Event', now() - n * interval '1 hour', now() - (n - 1) * interval '1 hour' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into custom_event_campaigns (account_id, event_id, campaign_id)
    select account_id, '0CEb' || lpad(n::text, 11, '0'), '002b' || lpad(n::text, 11, '0') from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into workflows (account_id, id, created, modified, created_by, name)
    select account_id, 'cwfb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Workflow' from ${each} where n <= 1000`,
  )
  await ownerQuery(
    url,
    `insert into workflow_steps (account_id, id, created, workflow_id, position, name, must_be_approved_by_everyone)
    select account_id, 'cwsb' || lpad(n::text, 11, '0'), now(), 'cwfb' || lpad((n % 1000 + 1)::text, 11, '0'), n / 1000, 'Step', false from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into workflow_approvers (account_id, step_id, user_id)
    select account_id, 'cwsb' || lpad(n::text, 11, '0'), '00Ab' || lpad(n::text, 11, '0') from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into workflow_items (account_id, id, created, modified, waiting_since, created_by, status, entity_id, scope_id, workflow_id, step_id)
    select account_id, 'cwib' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), now(), '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), case n % 5 when 0 then 'approved' else 'pending' end, '005b' || lpad(n::text, 11, '0'), '002b' || lpad((n % 100 + 1)::text, 11, '0'), 'cwfb' || lpad((n % 20 + 1)::text, 11, '0'), 'cwsb' || lpad((n % 20 + 1)::text, 11, '0') from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into workflow_decisions (account_id, item_id, round, step_id, user_id, created, is_approve)
    select account_id, 'cwib' || lpad(n::text, 11, '0'), 1, '', '00Ab' || lpad(n::text, 11, '0'), now(), true from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, visitor_id, lead_id, converted)
    select account_id, '009b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', '008b' || lpad((n % 1000 + 1)::text, 11, '0'), '002b' || lpad((n % 100 + 1)::text, 11, '0'), '005b' || lpad((n % 1000 + 1)::text, 11, '0'), '', '003-9-' || (n % 50), 'LinkedIn', case n % 10 when 0 then 'bot' else 'human' end, 'visitor' || (n % 2000), case n % 100 when 1 then '0ldb' || lpad((n % 500)::text, 11, '0') else '' end, case n % 50 when 1 then now() end from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into conversion_tags (account_id, id, created, modified, created_by, tag, status)
    select account_id, '0ctb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Tag', 'active' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url)
    select account_id, '008b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), lpad(n::text, 8, '0'), '002b' || lpad((n % 100 + 1)::text, 11, '0'), '005b' || lpad((n % 1000 + 1)::text, 11, '0'), '003-9-' || (n % 50), 'LinkedIn', 'https://example.com/', 'https://example.com/' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into cnames (account_id, id, created, modified, created_by, name, checked)
    select account_id, '0CNb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'bulk' || n || '.example.com', now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into deeds (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count)
    select account_id, '0ddb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), case n % 50 when 0 then 'session' else 'key' end, '', '', case n % 50 when 0 then 'DELETE /team/{id}' else 'POST /team/{id}' end, '025b' || lpad((n % 200 + 1)::text, 11, '0'), '{}', 1 from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into boards (account_id, id, created, modified, created_by, modified_by, name, slug)
    select account_id, 'brdb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', 'Board ' || (n * 7919 % 10000), 'bulk-' || n from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into topics (account_id, id, board_id, created, modified, created_by, name)
    select account_id, 'tpcb' || lpad(n::text, 11, '0'), 'brdb' || lpad((n % 100 + 1)::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Topic ' || n from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into board_members (account_id, board_id, user_id, created, invited_by, invited, role, last_seen)
    select account_id, 'brdb' || lpad((n % 4 + 1)::text, 11, '0'), '00Ab' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', '', now(), 'contributor', case when n % 3 > 0 then now() - n * interval '1 hour' else 'epoch' end from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into board_sign_ups (account_id, id, board_id, email, address, first_name, last_name, created, ends, digest)
    select account_id, '0sub' || lpad(n::text, 11, '0'), 'brdb' || lpad((n % 4 + 1)::text, 11, '0'), 'visitor' || n || '@example.com', 'visitor' || n || '@example.com', 'First', 'Last', now() - n * interval '1 minute', now() + interval '1 day', sha256(n::text::bytea) from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into shares (account_id, id, created, modified, user_id, board_id, story_id, message_id, campaign_id, credential_id, network, type, message, start_date_time, status)
    select account_id, '0shb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '00Ab' || lpad(n::text, 11, '0'), 'brdb' || lpad((n % 4 + 1)::text, 11, '0'), '0ASb' || lpad((n % 100 + 1)::text, 11, '0'), '', '', '003-9-' || n, 'LinkedIn', 'status-update', 'Words', now(), 'complete' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into stories (account_id, id, created, modified, created_by, modified_by, board_id, campaign_id, publish_date, expiration_date, is_featured, title, description, type, status, phase, turns, is_approved, share_count)
    select account_id, '0ASb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), '', 'brdb' || lpad((n % 4 + 1)::text, 11, '0'), '002b' || lpad((n % 100 + 1)::text, 11, '0'), now() - n * interval '1 hour', now() + n * interval '1 day', n % 20 = 0, 'Story ' || n, 'About', case n % 50 when 0 then 'post-attachment' else 'text' end, 'approved', 'published', now() + n * interval '1 day', n % 30 = 0, n % 7 from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into story_counts (account_id, board_id, created_by, phase, is_featured, is_repost, is_approved, stories)
    select account_id, board_id, created_by, phase, is_featured, type <> 'text', is_approved, count(*) from stories group by 1, 2, 3, 4, 5, 6, 7 on conflict do nothing`,
  )
  await ownerQuery(
    url,
    `insert into story_topics (account_id, story_id, topic_id)
    select account_id, '0ASb' || lpad(n::text, 11, '0'), 'tpcb' || lpad((n % 100 + 1)::text, 11, '0') from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into story_messages (account_id, story_id, message_id, position)
    select account_id, '0ASb' || lpad(n::text, 11, '0'), '005b' || lpad(n::text, 11, '0'), 0 from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into story_media (account_id, story_id, media_id, position)
    select account_id, '0ASb' || lpad(n::text, 11, '0'), '026b' || lpad(n::text, 11, '0'), 0 from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, status, assignee_id, remote_key, event_date, last_activity, person_id, postlog_id, words)
    select account_id, 'eitb' || lpad(n::text, 11, '0'), now(), now(), '003-9-' || (n % 40 + 1), case n % 50 when 0 then 'TikTok' else 'LinkedIn' end, (array['Conversation', 'Post', 'Mention', 'Reply'])[n % 4 + 1], 'owned', case n % 10 when 0 then 'open' else 'closed' end, case n % 5 when 0 then '00Ab' || lpad((n % 100 + 1)::text, 11, '0') else '' end, 'bulk:' || n, now(), now() - n * interval '1 minute', 'person' || n % 90, '007b' || lpad(n::text, 11, '0'), array_to_tsvector(array[account_id || ':word' || n % 70, account_id || ':common']) from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into inbox_item_counts (account_id, credential_id, network, item_type, status, assignee_id, items)
    select account_id, credential_id, network, item_type, status, assignee_id, count(*) from inbox_items group by 1, 2, 3, 4, 5, 6 on conflict do nothing`,
  )
  await ownerQuery(
    url,
    `insert into inbox_entries (account_id, id, item_id, type, created, is_own, credential_id, content)
    select account_id, 'eatb' || lpad(n::text, 11, '0'), 'eitb' || lpad((n % 100 + 1)::text, 11, '0'), case n % 3 when 0 then 'message' else 'comment' end, now() - n * interval '1 minute', n % 7 = 0, '003-9-7', 'Words' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into inbox_item_tags (account_id, item_id, tag_id, created)
    select account_id, 'eitb' || lpad(n::text, 11, '0'), 'etgb' || lpad((n % 100 + 1)::text, 11, '0'), now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into inbox_views (account_id, id, created, modified, created_by, name, is_shared, position)
    select account_id, '0ivb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), 'View', n % 20 = 0, n from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into inbox_readers (account_id, user_id, all_before) select account_id, '00Ab' || lpad(n::text, 11, '0'), now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into inbox_reads (account_id, user_id, item_id, seen)
    select account_id, '00Ab' || lpad((n % 10 + 1)::text, 11, '0'), 'eitb' || lpad(n::text, 11, '0'), now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into leads (account_id, id, created, modified, email, name)
    select account_id, '0ldb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), case when n % 4 > 0 then 'lead' || n || '@example.com' else '' end, 'Lead ' || (n * 7919 % 10000) from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into lead_profiles (account_id, lead_id, network, remote_id, created)
    select account_id, '0ldb' || lpad(n::text, 11, '0'), 'Twitter', n::text, now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into lead_activities (account_id, id, lead_id, activity_date, type, source)
    select account_id, '0lab' || lpad(n::text, 11, '0'), '0ldb' || lpad((n % 100 + 1)::text, 11, '0'), now() - n * interval '1 minute', 'click', n::text from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into integrations (account_id, id, created, modified, created_by, type, status, state)
    select account_id, '014b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', case n % 50 when 0 then 'salesforce' else 'hubspot' end, 'valid', 'active' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into lead_remotes (account_id, lead_id, integration_id, linked_lead_id)
    select account_id, '0ldb' || lpad(n::text, 11, '0'), '014b' || lpad((n % 100 + 1)::text, 11, '0'), n::text from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into stream_tabs (account_id, id, created, modified, created_by, name)
    select account_id, '018b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Tab ' || (n * 7919 % 10000) from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into stream_feeds (account_id, id, created, credential_id, network, type, looked, not_before)
    select account_id, '0sfb' || lpad(n::text, 11, '0'), now(), '003-9-' || n, 'LinkedIn', 'page', now(), now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into streams (account_id, id, created, modified, created_by, stream_tab_id, feed_id, credential_id, network, type, name, position)
    select account_id, '00Fb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '018b' || lpad((n % 100 + 1)::text, 11, '0'), '0sfb' || lpad(n::text, 11, '0'), '003-9-' || n, 'LinkedIn', 'page', 'Stream', n % 50 - 5 from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into stream_items (account_id, feed_id, remote_id, place, kind, at)
    select account_id, '0sfb' || lpad((n % 4 + 1)::text, 11, '0'), n::text, n, 'post', now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into dashboards (account_id, id, created, modified, created_by, name, visibility, range)
    select account_id, 'dshb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), 'Dashboard ' || (n * 7919 % 10000), case n % 5 when 0 then 'private' else 'shared' end, '{"name": "last30Days"}' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into drafts (account_id, user_id, id, created, modified, kind, title, content)
    select account_id, '00Ab' || lpad((n % 10 + 1)::text, 11, '0'), 'bulk-' || n, now(), now() - n * interval '1 minute', 'post', '', '' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into saved_views (account_id, id, user_id, created, modified, screen, name, search)
    select account_id, '0svb' || lpad(n::text, 11, '0'), '00Ab' || lpad((n % 40 + 1)::text, 11, '0'), now(), now(), 'calendar', 'View ' || n, '' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into media_holds (account_id, media_id, holder, what)
    select account_id, '026b' || lpad(n::text, 11, '0'), '004b' || lpad(n::text, 11, '0'), 'a post' from ${each}`,
  )
  await ownerQuery(url, 'vacuum analyze')
  await ownerQuery(
    url,
    `update pg_class set reltuples = reltuples * ${times} where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
  )
  await stopAsking(url)
})
afterAll(() => service.stop())

const calendar = (filters: object) =>
  `fromDate=2026-10-01&toDate=2026-11-30&filters=${encodeURIComponent(JSON.stringify(filters))}`

let ordered = 0

/** All filters and sort orders of every list. */
const lists: Record<string, string[]> = {
  'POST /calendar': [
    {},
    { campaigns: ['002b00000000007'] },
    { credentials: ['003-9-7'] },
    { messages: ['005b00000000007'] },
    { postSources: ['Board'] },
    { statuses: ['error'] },
    { users: ['00Ab00000000007'] },
    { networks: ['X'] },
    { campaignTags: ['0AFb00000000007'] },
    { messageTags: ['0AFb00000000007'] },
    { teams: ['025b00000000007'] },
    { hasFirstComment: true },
    { hasFirstComment: false },
    { promotion: ['organic'] },
    { showArchived: true },
    { campaigns: ['002b00000000007'], statuses: ['complete'], messageTags: ['0AFb00000000007'], hasFirstComment: true },
  ].map(calendar),
  'POST /app/api/calendar': [
    'from=1790000000&until=1795000000',
    'from=1790000000&until=1795000000&find=words',
    `from=1790000000&until=1795000000&filters=${encodeURIComponent('{"statuses":["error"]}')}`,
    `from=1790000000&until=1795000000&filters=${encodeURIComponent('{"tags":["0AFb00000000007"],"teams":["025b00000000007"]}')}`,
  ],
  'POST /app/api/post/similar': ['message=words&credentialIds=003-9-7'],
  '/app/api/post/004b00000000007/history': [''],
  '/app/api/saved-view': ['screen=calendar'],
  '/app/api/draft': ['', '_page=2', 'kind=reply', ...orders('modified')],
  '/app/api/overview': [''],
  '/app/api/credential/003-9-7/free-slots': [''],
  '/user': ['', ...orders('created', 'name', 'email'), '_page=100', 'q=first1', 'q=first1&_order=name,1', 'q=zzz'],
  '/team': ['_count=100', ...orders('created', 'name').map((order) => `_count=100&${order}`), '_count=100&_page=50'],
  '/team-entity/00Ab00000000007': [''],
  '/calendar/custom-events': ['', '_page=50', 'before=1700000000', ...orders('created', 'modified', 'startDateTime')],
  '/board': ['_count=100', '_count=100&_page=2', ...orders('created', 'name').map((order) => `_count=100&${order}`)],
  '/board-topic': ['_count=100', '_count=100&_page=2', 'q=topic1&_count=100'].concat(
    orders('created', 'name').flatMap((order) => [
      `_count=100&${order}`,
      `_count=100&${order}&boardId=brdb00000000002`,
    ]),
  ),
  '/advocate': ['', '_page=5', 'email=bulk7@example.com', ...orders('created')].concat(
    ['', '&_page=2', '&email=bulk7@example.com', '&lastSeen=7', '&notSeen=7', '&neverSeen=1', '&_order=created,1'].map(
      (filter) => `boardId=brdb00000000002${filter}`,
    ),
  ),
  '/app/api/boards/brdb00000000002/sign-up': ['', '_page=2', ...orders('created')],
  '/advocate/00Ab00000000007': ['', 'boardId=brdb00000000004'],
  '/story': [
    '',
    '_page=5',
    '_count=100',
    'createdBy=00Ab00000000007',
    'createdBy=00Ab00000000007,00Ab00000000008',
    'isFeatured=1',
    'isFeatured=0',
    'isRepost=1',
    'isRepost=0',
    'approveStatus=approved',
    'q=story1',
    'topicIds=tpcb00000000007',
    'tagIds=0AFb00000000007',
    'approveStatus=pending',
    ...orders('created', 'publishDate', 'expirationDate', 'shareCount', 'isFeatured').flatMap((order) => [
      order,
      `${order}&boardId=brdb00000000002`,
      `${order}&q=story1`,
      ...['draft', 'scheduled', 'published', 'expired'].map((status) => `${order}&status=${status}`),
    ]),
  ],
  '/conversation': inbox(''),
  '/app/api/conversation': [
    ...inbox('&_after=1900000000000.eitb00000000007'),
    'view=mine',
    'view=open',
    'unread=1',
    'view=unassigned&unread=1',
    'credential_id=003-9-7',
    'assignee_id=none',
  ],
  '/app/api/conversation/eitb00000000007': [''],
  '/app/api/conversation/eitb00000000007/of-person': ['', '_after=eitb00000000100'],
  '/conversation/eitb00000000007/timeline': ['', 'last_loaded_id=eatb00000000006'],
  '/app/api/inbox/views': [''],
  '/comments': ['', '_count=25', 'network=TikTok', 'postlogId=007b00000000007'],
  '/conversation-tag': ['', '_page=50', 'q=tag1', ...orders('name', 'created')],
  '/canned-response': ['', '_page=50', 'q=response1', ...orders('name', 'created')],
  '/tag': ['', '_page=50', 'q=tag1', ...orders('tag', 'created', 'lastUsed')],
  '/app/api/campaign': [
    '',
    '_page=2',
    'q=campaign1',
    'statuses=paused',
    'statuses=active,paused',
    'tagIds=0AFb00000000007',
    'teamIds=025b00000000007',
    ...orders('created', 'name', 'status'),
  ],
  '/campaign': ['', '_page=50', 'q=campaign1', 'status=paused', ...orders('created', 'name', 'status')],
  '/dashboard': [
    '',
    '_page=10',
    'search=board1',
    'visibility=private',
    ...orders('created', 'createdOn', 'name', 'description', 'visibility', 'createdBy', 'creatorName'),
  ],
  '/message': [
    'campaignId=002b00000000007',
    'campaignId=002b00000000007&network=x',
    'ids=005b00000000007,005b00000000008',
  ],
  '/post': [
    '',
    '_page=50',
    '_count=100',
    'withPostlogs=1',
    'messageId=005b00000000007',
    'campaignId=002b00000000007',
    ...['pending', 'complete', 'error'].map((status) => `status=${status}`),
    'createdBy=00Ab00000000007',
    'source=API',
    'source=Board',
    'status=error&campaignId=002b00000000007',
    ...orders('created', 'modified', 'startDateTime').flatMap((order) => [
      order,
      `${order}&after=2026-01-01 00:00:00&before=2026-10-01 00:00:00`,
      ...['campaignId=002b00000000007', 'messageId=005b00000000007', 'status=pending', 'source=Board'].map(
        (filter) => `${order}&${filter}`,
      ),
      `${order}&createdBy=00Ab00000000007`,
    ]),
  ],
  '/click': [
    '',
    '_page=50',
    '_count=200',
    'after=2026-01-01T00:00:00',
    'before=2026-01-01T00:00:00',
    'convertsOnly=1',
    ...['created', 'campaignName', 'credentialName']
      .flatMap((field) => orders(field))
      .flatMap((order) => [
        order,
        `${order}&_page=50`,
        `${order}&convertsOnly=1`,
        `${order}&leadId=0ldb00000000101`,
        `${order}&messageId=005b00000000007`,
        `${order}&campaignId=002b00000000007`,
        `${order}&visitorId=visitor7`,
        `${order}&after=2026-01-01T00:00:00&before=2026-10-01T00:00:00`,
      ]),
  ],
  '/conversion-tag': ['_count=100', '_count=100&_page=50', ...orders('created').map((order) => `_count=100&${order}`)],
  '/lead': [
    '',
    '_page=5',
    '_count=100',
    'all_leads=1',
    'search=lead1',
    'search=lead1&all_leads=1',
    ...orders('created').flatMap((order) => [order, `${order}&all_leads=1`]),
  ],
  '/lead-activity': ['', '_page=5', 'leadId=0ldb00000000007', ...orders('activityDate')].concat(
    orders('activityDate').map((order) => `${order}&leadId=0ldb00000000007`),
  ),
  '/integration': ['', '_page=2', ...orders('created')].concat(
    orders('created').map((order) => `${order}&type=salesforce`),
  ),
  '/cname': ['_count=100', '_count=100&_page=50', ...orders('created').map((order) => `_count=100&${order}`)],
  '/link': [
    '',
    '_page=50',
    'hash=00000007',
    'ids=008b00000000007',
    'hash=00000007&credentialIds=003-9-7',
    ...orders('created').flatMap((order) => [
      order,
      `${order}&credentialIds=003-9-7`,
      `${order}&credentialIds=003-9-7,003-9-8`,
    ]),
  ],
  '/media': [
    '',
    '_page=50',
    'q=picture1',
    'type=PDF',
    'folderId=',
    'folderId=035b00000000007',
    'type=PDF&folderId=035b00000000007',
    ...orders('created', 'name'),
  ],
  '/media-folder': [
    '',
    '_page=3',
    'q=folder1',
    'folderId=035b00000000007',
    'orderBy=created&orderDir=asc',
    'orderBy=name&orderDir=desc',
  ],
  '/upload': ['', '_page=50', 'status=failed', 'source=https%3A%2F%2Fexample.com%2F7', ...orders('created')],
  '/credential': [
    '_count=100',
    '_count=100&network=Xing',
    '_count=100&includeInvalid=1',
    '_count=100&_page=20',
    ...orders('created', 'name').map((order) => `_count=100&${order}`),
  ],
  '/credential/003-9-7/targeting-presets': ['', '_page=2', ...orders('created', 'name')],
  '/workflow': [
    '_count=100',
    '_count=100&_page=5&withSteps=1',
    ...orders('created').map((order) => `_count=100&${order}`),
  ],
  '/workflow-step': ['_count=100', '_count=100&_page=50', 'workflowId=cwfb00000000007', '_count=100&_order=position,0'],
  '/workflow-item': [
    '',
    'page=50',
    'workflowId=cwfb00000000007',
    'stepId=cwsb00000000007',
    'withHistory=1&withAuthors=1&withSteps=1',
    ...orders('created'),
  ],
  '/webhook': [
    '',
    ...orders('name', 'description', 'lastExecutionDate', 'isEnabled', 'created', 'modified'),
    'event=postSent',
    'name=hook1',
    '_page=100',
  ],
  '/stream-tab': [
    '_count=100',
    '_count=100&_page=3',
    ...orders('created', 'name').map((order) => `_count=100&${order}`),
  ],
  '/stream': ['', '&_page=3', '&streamTabId=018b00000000007', '&position=3'].flatMap((filter) =>
    orders('position', 'created').map((order) => `_count=100&${order}${filter}`),
  ),
  '/app/api/stream/00Fb00000000003/items': ['', '_count=100', '_after=200'],
  '/bi-export': ['', 'status=inactive', ...orders('type', 'status', 'dest', 'last', 'freq')],
  '/app/api/exports/032b00000000007/runs': ['', '_page=2', ...orders('created')],
  '/app/api/audit': [
    '',
    '_count=100',
    '_after=0ddb00000000100',
    'from=2026-01-01&to=2026-10-01',
    'via=session',
    'via=key',
    'userId=00Ab00000000007',
    'id=025b00000000007',
    'userId=00Ab00000000007&_after=0ddb00000000100',
    ...['DELETE /team/{id}', 'DELETE /team/{id},POST /team/{id}'].map((of) => `operation=${encodeURIComponent(of)}`),
  ],
  '/app/api/user': ['', '_page=3', 'q=first1', ...orders('created', 'name', 'email')],
  '/app/api/workflow-item': ['to-decide', 'waiting', 'sent', 'decided'].flatMap((view) => [
    `view=${view}`,
    `view=${view}&_page=2`,
  ]),
  '/app/api/workflow-item/cwib00000000007': [''],
  '/app/api/workflow-item/cwib00000000007/changes': [''],
  '/app/api/media': [
    '',
    '_page=50',
    'q=picture1',
    'type=PDF',
    'folderId=',
    'folderId=035b00000000007',
    'unused=1',
    ...orders('created', 'name'),
  ],
  '/app/api/media/026b00000000007/uses': [''],
  '/app/api/media-folder': [''],
  '/app/api/credential-health': [''],
  '/app/api/credential/003-9-7/health': [''],
  '/app/api/campaign/002b00000000007/consequences': [''],
  '/webhook-log/0WAb00000000007': ['', '_page=2', ...orders('created')],
}

function inbox(page: string): string[] {
  const filters = [
    '',
    'type=Post',
    'status=open',
    'network=TikTok',
    'assignee_id=00Ab00000000007',
    'q=word7',
    'tag=Tag 7',
  ]
  const several = ['type=Post,Mention', 'network=TikTok,LinkedIn', 'status=open&assignee_id=00Ab00000000007']
  const both = ['q=word7&tag=Tag 7', 'q=word7&status=open&network=LinkedIn', 'tag=Tag 7&type=Post']
  return [...filters, ...several, ...both].map((filter) => filter + page)
}

/**
 * Lists that may be sorted: an account has at most a few hundred rows, and an index on a frequently updated column would cost more than
 * sorting.
 */
const sortedLists = [
  'from "webhooks"',
  'from "exports"',
  'from "dashboards"',
  'from "credentials"',
  'from "targeting_presets"',
  'from "media_folders"',
  'from "tags"',
  'from "conversation_tags"',
  'from "topics"',
  'from "workflow_steps"',
  'from "workflow_decisions"',
  '"id" in ',
  '"post_id" in ',
  // One link, and the links of several profiles.
  '"hash" = ',
  '"credential_id" in ',
  // Rows of one message or one user: an index for each order would slow down every write.
  '"message_id" = ',
  '"created_by" = ',
  ' = any (',
  '"end_date_time" >= ',
  '"campaign_id" in (select',
  // The calendar's filters leave a few of the posts of some weeks.
  'campaigns.id = posts.campaign_id',
  // The few stories that became due since the last update, merged into the others.
  '"turns" <= ',
  // Stories that have a topic or a tag.
  'stories.id in (',
  // Merged pages of several operations.
  'from unnest(',
  // The few items with search terms or tags, and the tags of the items on a page.
  'with known as materialized',
  'from "inbox_item_tags"',
  // The few posts of messages with the same text.
  'm.words = ',
  // Comments on one post.
  'i.postlog_id = ',
  // The few clicks that match a filter, sorted by name.
  'order by (select lower(',
]

/** An index can be read in both directions, so by default each order is tested in one of them, alternating. */
function orders(...fields: string[]): string[] {
  return fields.flatMap((field) => {
    const turn = ordered++ % 2
    return deep([turn], [0, 1]).map((direction) => `_order=${field},${direction}`)
  })
}

test('no list reads a table from end to end at 100,000 rows', async () => {
  const statements = await recordStatements(async () => {
    for (const [path, queries] of Object.entries(lists)) {
      const route = path.startsWith('/') ? `GET ${path}` : path
      for (const as of route.startsWith('GET') ? [service.admin] : [service.admin, service.publisher])
        for (const query of queries) expect((await as(route, { query })).status, `${path}?${query}`).toBe(200)
    }
  })
  expect(statements.length).toBeGreaterThanOrEqual(20)
  const client = new pg.Client({ connectionString: service.databaseUrl, options: '-c role=chorus_app' })
  await client.connect()
  await client.query(`select set_config('chorus.account_id', $1, false)`, [demoAccount])
  // Generic plans, as the service's cached plans are: made without knowing the values.
  await client.query('set plan_cache_mode = force_generic_plan')
  const explained: { text: string; plan: string }[] = []
  for (const [index, { text, values }] of statements.entries()) {
    await client.query(`prepare list_${index} as ${text}`)
    const literals = values
      .map((value) =>
        Array.isArray(value)
          ? `{${value.map((one) => JSON.stringify(String(one))).join()}}`
          : value instanceof Date
            ? value.toISOString()
            : value,
      )
      .map((value) => pg.escapeLiteral(String(value)))
      .join(', ')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute list_${index}(${literals})`)
    explained.push({ text, plan: rows.map((row) => row['QUERY PLAN']).join('\n') })
  }
  await client.end()
  const problems = explained.filter(({ text, plan }) => problemOf(text, plan))
  expect(problems.map(({ text, plan }) => `${problemOf(text, plan)}: ${text}\n${plan}`)).toEqual([])
})

function problemOf(text: string, plan: string): 'read from end to end' | 'sorted' | undefined {
  if (plan.includes('Seq Scan')) return 'read from end to end'
  // Without a search, a list is read from its index in order.
  const mayBeSorted = ['ilike', 'join', ...sortedLists].some((word) => text.includes(word))
  return !mayBeSorted && plan.includes('Sort') ? 'sorted' : undefined
}

test('words are found by their index, however common they are', async () => {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  // As set by the function itself, whose inner plans are not visible here.
  await client.query('set enable_seqscan = off')
  await client.query('set enable_indexscan = off')
  for (const word of ['word7', 'common', 'absent']) {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select id from inbox_items where account_id = $1 and words @@ $2 limit 5001`,
      [demoAccount, `'${demoAccount}:${word}'`],
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toContain('Seq Scan')
    expect(plan).toContain('inbox_items_words')
  }
  await client.end()
})

test.each([
  [`select * from teams where name like '%9'`, 'read from end to end'],
  [`select * from teams where account_id = '${demoAccount}' order by modified, id limit 25`, 'sorted'],
  [`select * from teams where account_id = '${demoAccount}' order by created, id limit 25`, undefined],
])('a planted list: %s is %s', async (text, problem) => {
  const rows = await ownerQuery<{ 'QUERY PLAN': string }>(service.databaseUrl, `explain ${text}`)
  expect(problemOf(text, rows.map((row) => row['QUERY PLAN']).join('\n'))).toBe(problem)
})

test('every list endpoint is among those examined', () => {
  const paged = endpoints.filter(
    ({ method, reply }) => method === 'GET' && 'Total' in ((reply.schema as { properties: object }).properties ?? {}),
  )
  const examined = Object.keys(lists)
  for (const { path } of paged)
    expect(
      examined.some((list) => list.startsWith(path.replace(/\{.*/, ''))),
      path,
    ).toBe(true)
})

interface Statement {
  text: string
  values: unknown[]
}

/** The statements the service sends to the database during some work. */
async function recordStatements(work: () => Promise<void>): Promise<Statement[]> {
  const seen = new Map<string, Statement>()
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const { text, values } = (args[0] as { statements?: Statement[] }).statements?.at(-1) ?? {}
    if (
      text &&
      /^\s*(select|with)\b/.test(text) &&
      !/\b(insert|update|delete)\b/.test(text) &&
      /(from|join) (inbox_|chorus_inbox_search)|"(inbox_items|inbox_entries|inbox_item_counts|inbox_item_tags|inbox_views|conversation_tags|canned_responses|users|boards|board_members|board_sign_ups|stories|story_counts|story_topics|story_messages|story_media|topics|topic_subscriptions|shares|teams|team_entities|restricted_entities|webhooks|webhook_log|exports|export_runs|credentials|targeting_presets|media|media_folders|uploads|tags|campaigns|messages|message_media|links|cnames|clicks|conversion_tags|posts|post_counts|first_comments|postlogs|custom_events|workflows|workflow_steps|workflow_items|workflow_decisions)"|from deeds/.test(
        text,
      ) &&
      !text.includes('api_keys')
    )
      // Plans don't depend on the values, so one execution of each text is enough.
      seen.set(text, { text, values: values ?? [] })
    return (query as (...all: unknown[]) => unknown).apply(this, args)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return [...seen.values()]
}
