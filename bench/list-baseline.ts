import { createServer } from 'node:http'
import pg from 'pg'

/**
 * The baseline of the lists: the same prepared statements for a page of 25 and its total through the same driver, each as soon as it can
 * run, and JSON.stringify of the rows. No authentication, visibility, rate limits, parameter validation, serialization or logging.
 */
const [, , connectionString, account] = process.argv
const pool = new pg.Pool({ connectionString, max: 10 })
const pageSize = 25

type Rows = { [column: string]: string }[]

const ask = async (name: string, text: string, ...values: unknown[]): Promise<Rows> =>
  (await pool.query({ name, text, values: [account, ...values] })).rows

const each = (rows: Rows, column: string) => [...new Set(rows.map((row) => row[column]))]

const counters = (kind: string, table: string) =>
  `(select coalesce(json_object_agg(f.name, f.value), '{}') from counters f
    where f.account_id = $1 and f.of_kind = '${kind}' and f.of_id = ${table}.id) as counters`

const lists: Record<string, () => Promise<unknown>> = {
  async '/post'() {
    const [items, total] = await Promise.all([
      ask(
        'posts',
        `select id, created, modified, status, created_by, modified_by, source, content_source, queued, campaign_id, board_id, message_id,
           message_child_id, network, start_date_time, groups, groups_count, target_geo, update_status, flag, utm, approve_status,
           credential_ids, targeting_preset_id, ${counters('post', 'posts')}
         from posts where account_id = $1 order by created desc, id desc limit $2`,
        pageSize,
      ),
      ask('post-total', 'select coalesce(sum(posts), 0)::integer as total from post_counts where account_id = $1'),
    ])
    const comments = await ask(
      'first-comments',
      'select id, post_id, text, media_id from first_comments where account_id = $1 and post_id = any ($2)',
      each(items, 'id'),
    )
    return { Result: true, Items: items, Total: total[0]?.total, Comments: comments }
  },
  async '/campaign'() {
    const [items, total] = await Promise.all([
      ask(
        'campaigns',
        `select id, name, created, status, ${counters('campaign', 'campaigns')},
           (select json_build_object('total', coalesce(sum(n.posts), 0),
              'pending', coalesce(sum(n.posts) filter (where n.status in ('pending', 'inqueue')), 0),
              'draft', coalesce(sum(n.posts) filter (where n.status in ('draft', 'inqueue-draft')), 0),
              'sent', coalesce(sum(n.posts) filter (where n.status in ('complete', 'incomplete')), 0))
            from post_counts n where n.account_id = $1 and n.campaign_id = campaigns.id) as posts
         from campaigns where account_id = $1 and deleted is null order by created desc, id desc limit $2`,
        pageSize,
      ),
      ask('campaign-total', 'select count(*) as total from campaigns where account_id = $1 and deleted is null'),
    ])
    return { Result: true, Items: items, Total: total[0]?.total }
  },
  async '/conversation'() {
    const [items, total] = await Promise.all([
      ask(
        'conversations',
        `select id, created, modified, status, network, item_type, assignee_id, person_name from inbox_items
         where account_id = $1 order by last_activity desc, id desc limit $2`,
        pageSize,
      ),
      ask(
        'conversation-total',
        'select coalesce(sum(items), 0)::integer as total from inbox_item_counts where account_id = $1',
      ),
    ])
    return { Result: true, Items: items, Total: total[0]?.total }
  },
  async '/story'() {
    const [items, total] = await Promise.all([
      ask(
        'stories',
        `select id, created, modified, created_by, modified_by, board_id, campaign_id, publish_date, expiration_date, is_featured, title,
           description, image_url, link_title, link_url, link_description, link_content, type, status, share_count, alt_texts, video_title,
           video_preview, video_subtitle, preview_frame, workflow_id
         from stories where account_id = $1 order by publish_date desc, id desc limit $2`,
        pageSize,
      ),
      ask('story-total', 'select coalesce(sum(stories), 0)::integer as total from story_counts where account_id = $1'),
    ])
    const ids = each(items, 'id')
    const [messages, media, topics, tags] = await Promise.all([
      ask(
        'story-messages',
        `select s.story_id, m.id, m.network, m.message, m.type, m.link_title, m.link_url, m.description, m.image_url
         from story_messages s join messages m on m.account_id = $1 and m.id = s.message_id
         where s.account_id = $1 and s.story_id = any ($2) and m.deleted is null order by s.position`,
        ids,
      ),
      ask(
        'story-media',
        `select s.story_id, m.* from story_media s join media m on m.account_id = $1 and m.id = s.media_id
         where s.account_id = $1 and s.story_id = any ($2) order by s.position`,
        ids,
      ),
      ask(
        'story-topics',
        `select s.story_id, t.name from story_topics s join topics t on t.account_id = $1 and t.id = s.topic_id
         where s.account_id = $1 and s.story_id = any ($2) order by t.name`,
        ids,
      ),
      ask(
        'story-tags',
        `select e.entity_id, t.tag from entity_tags e join tags t on t.account_id = $1 and t.id = e.tag_id
         where e.account_id = $1 and e.entity_id = any ($2) order by t.tag`,
        ids,
      ),
    ])
    const attached = await ask(
      'message-media',
      `select a.message_id, m.* from message_media a join media m on m.account_id = $1 and m.id = a.media_id
       where a.account_id = $1 and a.message_id = any ($2) order by a.position`,
      each(messages, 'id'),
    )
    return { Result: true, Items: items, Total: total[0]?.total, Parts: [messages, media, topics, tags, attached] }
  },
  async '/lead'() {
    const [items, total] = await Promise.all([
      ask(
        'leads',
        `select id, parent_id, type, email, name, first_name, last_name, photo, phone, is_tracked from leads
         where account_id = $1 and email <> '' order by created desc, id desc limit $2`,
        pageSize,
      ),
      ask('lead-total', `select count(*) as total from leads where account_id = $1 and email <> ''`),
    ])
    const ids = each(items, 'id')
    const [profiles, references] = await Promise.all([
      ask(
        'lead-profiles',
        'select lead_id, network, url from lead_profiles where account_id = $1 and lead_id = any ($2)',
        ids,
      ),
      ask(
        'lead-references',
        `select r.lead_id, r.integration_id, r.remote_identifier, r.linked_lead_id, i.type
         from lead_references r join integrations i on i.account_id = $1 and i.id = r.integration_id
         where r.account_id = $1 and r.lead_id = any ($2)`,
        ids,
      ),
    ])
    return { Result: true, Items: items, Total: total[0]?.total, Parts: [profiles, references] }
  },
  async '/click'() {
    const [items, total] = await Promise.all([
      ask(
        'clicks',
        `select id, created, campaign_id, message_id, post_id, lead_id, conversion_tag_id, credential_id, converted, network, user_agent,
           country, city, organization, longitude, latitude
         from clicks where account_id = $1 and class = 'human' order by created desc, id desc limit $2`,
        pageSize,
      ),
      ask(
        'click-total',
        `select coalesce(sum(value), 0)::integer as total from counters where account_id = $1 and of_kind = 'campaign' and name = 'clicks'`,
      ),
    ])
    const parts = await Promise.all([
      ask(
        'click-postlogs',
        'select id, post_id, credential_id, remote_url from postlogs where account_id = $1 and post_id = any ($2)',
        each(items, 'post_id'),
      ),
      ask(
        'click-messages',
        'select id, message, link_url, link_title, image_url from messages where account_id = $1 and id = any ($2)',
        each(items, 'message_id'),
      ),
      ask(
        'click-campaigns',
        'select id, name from campaigns where account_id = $1 and id = any ($2)',
        each(items, 'campaign_id'),
      ),
      ask(
        'click-credentials',
        'select id, display_name from credentials where account_id = $1 and id = any ($2)',
        each(items, 'credential_id'),
      ),
    ])
    return { Result: true, Items: items, Total: total[0]?.total, Parts: parts }
  },
}

const server = createServer((request, response) => {
  request.resume()
  request.on('end', async () => {
    const body = JSON.stringify(await lists[request.url ?? '']?.())
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))
