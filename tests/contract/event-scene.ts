import { storyHelpers } from '#areas/advocacy/story/story.fixture.ts'
import { type Inbox, profiles, startInbox } from '#areas/inbox/ingest/ingest.fixture.ts'
import { until } from '../support/publishing.ts'

/** Triggers of an event by its scope; each returns a text that identifies the payload. */
export interface Causes {
  campaign?: Cause
  board?: Cause
  workflow?: Cause
  /** Has no scope, even if it was caused by the restricted campaign where possible. */
  nothing?: Cause
}

type Cause = (scene: Scene) => Promise<string>

/** The entities used to cause events: some visible only to the team Europe, others to all users. */
export interface Scene {
  readonly service: Inbox
  readonly restricted: {
    campaign: string
    board: string
    boardWithTopics: string
    messageBoard: string
    workflow: string
  }
  readonly open: { campaign: string; board: string; messageBoard: string; workflow: string }
  /** A post of the restricted campaign that was published on Facebook; created by `publish`. */
  readonly post: { id: string; remoteId: string }
  publish(): Promise<void>
  unique(prefix: string): string
  /** Creates an entity and returns its id. */
  made(route: string, body: object, name: string): Promise<string>
  /** Makes the entity visible to the team only. */
  restrict(entity: string): Promise<unknown>
  message(campaignId: string): Promise<string>
  /** A scheduled post. */
  planned(campaignId: string): Promise<string>
  story(location: object): Promise<string>
  externalUser(): { id: string; name: string }
  /** A comment of an external user on the restricted post, after it has reached the inbox. */
  commented(text?: string): Promise<Conversation>
}

const europe = '025demo00000001'

let serial = 0
const unique = (prefix: string) => `${prefix} ${serial++}`

export async function openScene(): Promise<Scene> {
  const service = await startInbox(3600)
  await service.subscribed()

  async function made(route: string, body: object, name: string): Promise<string> {
    const { status, json } = await service.admin(route, { body })
    if (status !== 200) throw new Error(`${route}: ${JSON.stringify(json)}`)
    return json[name].Id ?? json[name].ID
  }
  const restrict = (entity: string) => service.admin(`POST /team-entity/${entity}`, { body: { teamIds: europe } })

  const stories = storyHelpers(service)
  const restricted = {
    campaign: await made('POST /campaign', { name: 'Restricted' }, 'Campaign'),
    board: await made('POST /app/api/boards', { name: 'Restricted' }, 'Board'),
    boardWithTopics: await made('POST /app/api/boards', { name: 'Restricted, with topics' }, 'Board'),
    messageBoard: (await stories.board({ kind: 'messages' })).id,
    workflow: await stories.workflow(),
  }
  for (const entity of Object.values(restricted)) await restrict(entity)
  const open = {
    campaign: '002demo00000001',
    /** A board without topics; with topics a story would need one. */
    board: 'brddemo00000002',
    messageBoard: 'brddemo00000006',
    workflow: 'cwfdemo00000001',
  }

  const message = (campaignId: string) =>
    made('POST /message', { network: 'Facebook', campaignId, message: unique('Forty walks') }, 'Message')

  async function planned(campaignId: string): Promise<string> {
    const startDateTime = Math.floor(Date.now() / 1000) + 86_400
    const body = { messageId: await message(campaignId), credentialIds: profiles.facebook, startDateTime }
    return made('POST /post', body, 'Post')
  }

  const story = (location: object) =>
    made(
      'POST /story',
      { title: unique('Story'), description: 'What it is about.', campaignId: open.campaign, ...location },
      'Item',
    )

  const post = { id: '', remoteId: '' }
  async function publish() {
    const text = { message: unique('Forty walks: https://www.example.com/walks'), campaignId: restricted.campaign }
    const { Id } = await service.post('Facebook', profiles.facebook, text)
    await until(async () => (await service.admin(`GET /post/${Id}`)).json.Post.Status === 'complete')
    const { json } = await service.admin(`GET /post/${Id}`, { query: 'postlogs=1' })
    Object.assign(post, { id: Id, remoteId: json.Post.Postlogs[0].RemoteId })
  }

  const externalUser = () => ({ id: `75000000000${String(serial++).padStart(5, '0')}`, name: 'Robin Field' })

  async function commented(text = unique('Is it open on Sunday?')): Promise<Conversation> {
    const from = externalUser()
    const activity = { from, text, kind: 'comment', postRemoteId: post.remoteId }
    const { remoteId } = await service.inject(profiles.facebook, 'Facebook', activity)
    const { id } = await service.item(profiles.facebook, text)
    return { id, remoteId, from }
  }

  return {
    service,
    unique,
    made,
    restrict,
    restricted,
    open,
    message,
    planned,
    story,
    post,
    publish,
    externalUser,
    commented,
  }
}

export interface Conversation {
  id: string
  remoteId: string
  from: { id: string; name: string }
}
