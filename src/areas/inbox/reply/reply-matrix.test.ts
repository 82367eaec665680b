import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { byTurns, type Publishing, profiles, startPublishing, until } from '../../../../tests/support/publishing.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { inboxOf } from '../inbox.fixture.ts'

/** Networks × item types, open and closed, combined with replies (parent × media), against the contract. */

let publishing: Publishing
let inbox: ReturnType<typeof inboxOf>
/** One of our posts per network. */
let posts: Map<string, string>
beforeAll(async () => {
  publishing = await startPublishing()
  inbox = inboxOf(publishing)
  posts = new Map(await Promise.all(networks.map(async (on) => [on.network, await postOn(on)] as const)))
})
afterAll(() => publishing.stop())

const image = '026demo00000001'
const film = '026demo00000005'

interface OnNetwork {
  network: string
  profile: string
  /** Required fields of a post. */
  post: object
  messages: boolean
  threads: boolean
  media: boolean
  mentions: boolean
  /** A reply to a reply is placed under the top-level comment. */
  twoLevels: boolean
}

const usual = { messages: false, threads: true, media: false, mentions: true, twoLevels: true, post: {} }
/** As in the contract. */
const networks: readonly OnNetwork[] = [
  { ...usual, network: 'Facebook', profile: profiles.facebook, messages: true, media: true, twoLevels: false },
  { ...usual, network: 'Twitter', profile: profiles.x, messages: true, media: true, threads: false },
  { ...usual, network: 'LinkedIn', profile: profiles.linkedInPage, messages: true, media: true },
  { ...usual, network: 'Instagram', profile: profiles.instagram, post: { media: image } },
  { ...usual, network: 'TikTok', profile: profiles.tiktok, media: true, post: { media: film } },
  { ...usual, network: 'YouTube', profile: profiles.youtube, mentions: false, post: { media: film, title: 'A film' } },
]

async function postOn({ network, profile, post }: OnNetwork): Promise<string> {
  await publishing.sandbox.control('/processing', { network, delayMs: 0 })
  const { Id } = await publishing.post(network, profile, { message: `A walk on ${network}`, ...post })
  const [log] = (await publishing.settled(Id)).Postlogs
  if (!log?.RemoteId) throw new Error(`${network}: ${log?.Error}`)
  return log.RemoteId
}

interface Case extends OnNetwork {
  itemType: 'Conversation' | 'Post' | 'Mention' | 'Reply'
  withParent: boolean
  withMedia: boolean
  status: 'open' | 'closed'
}

const types = ['Conversation', 'Post', 'Mention', 'Reply'] as const
const both = [false, true]
const answers = both.flatMap((withParent) => both.map((withMedia) => ({ withParent, withMedia })))
/** Each item has two of the replies, with and without parent and media; the next item the other two. */
const repliesTo = (at: number) => {
  const isOdd = (at + Math.floor(at / types.length)) % 2 === 1
  return answers.filter(({ withParent, withMedia }) => deep((withParent === withMedia) === isOdd, true))
}
const cases: readonly Case[] = networks
  .flatMap((on) => types.filter((type) => type !== 'Mention' || on.mentions).map((itemType) => ({ ...on, itemType })))
  .flatMap((one, at) => [
    ...repliesTo(at).map((runCase) => ({ ...one, ...runCase, status: 'open' as const })),
    // Closed items reject every reply: each has one of those replies in turn.
    { ...one, ...(answers[at % answers.length] as (typeof answers)[number]), status: 'closed' as const },
  ])

const isMessage = ({ itemType }: Case) => itemType === 'Conversation'
const isAccepted = (one: Case) => one.status === 'open' && (!isMessage(one) || one.messages)

const named = ({ network, itemType, withParent, withMedia, status }: Case) =>
  [network, itemType, withParent && 'parent', withMedia && 'media', status].filter(Boolean).join(' ')

let numbered = 0

/** A person acts on the network, the item is received, and a user replies. */
async function runCase(one: Case) {
  const { network, profile: credentialId, itemType, status, withParent, withMedia } = one
  const number = numbered++
  const person = { id: `70000000000${String(number).padStart(5, '0')}`, name: 'Robin Field' }
  const about = { network, profile: credentialId.split('-').at(-1), from: person, push: false }
  const inject = async (json: object) => (await publishing.sandbox.inject({ ...about, ...json })) as Injected
  const post = posts.get(network) ?? ''
  const begun = await begin(one, inject, post)
  const { id } = await inbox.item({
    network,
    credentialId,
    itemType,
    status,
    remoteId: begun,
    personId: person.id,
    postRemoteId: itemType === 'Mention' ? '' : post,
  })
  const isUnder = withParent && !isMessage(one)
  // Under posts of others Instagram allows replies only to people who mention us.
  const kind = network === 'Instagram' && itemType === 'Mention' ? 'mention' : 'comment'
  const nested = isUnder ? (await inject({ kind, parentId: begun, text: 'Me too' })).remoteId : ''
  const parent = isUnder
    ? await inbox.entry({ itemId: id, credentialId, parentRemoteId: begun, remoteId: nested })
    : 'none'
  const text = `Answer ${process.pid} ${number}.`
  const body = {
    message: text,
    ...(withParent && { parent_comment_id: parent }),
    ...(withMedia && { media: [{ Id: image }] }),
  }
  const { status: code, json } = await publishing.contributor(`POST /conversation/${id}/reply`, { body })
  return { one, id, text, code, json, begun, nested }
}

interface Injected {
  remoteId: string
  threadId: string | null
}

async function begin({ network, itemType }: Case, inject: (json: object) => Promise<Injected>, post: string) {
  if (itemType === 'Mention') return (await inject({ kind: 'mention', text: 'Out with you' })).remoteId
  if (itemType !== 'Conversation')
    return (await inject({ kind: 'comment', postRemoteId: post, text: 'How far is it?' })).remoteId
  return network === 'YouTube'
    ? `none-${numbered}`
    : ((await inject({ kind: 'message', text: 'Open today?' })).threadId ?? '')
}

const repliesOf = (ids: readonly string[]) =>
  ownerQuery<{ item_id: string; status: string; error: string; remote_id: string }>(
    publishing.databaseUrl,
    'select item_id, status, error, remote_id from inbox_replies where item_id = any ($1)',
    [ids],
  )

test(`each of ${cases.length} cases gives what the contract says, and the networks have each accepted answer once`, async () => {
  const given: Awaited<ReturnType<typeof runCase>>[] = []
  await byTurns(cases.entries(), 6, async ([at, one]) => {
    given[at] = await runCase(one)
  })
  const codes = given.map(({ one, code }) => [named(one), code])
  expect(codes).toEqual(cases.map((one) => [named(one), isAccepted(one) ? 200 : 400]))
  for (const { one, json } of given.filter(({ code }) => code === 400))
    expect([named(one), json.Errors.API.Error]).toEqual([
      named(one),
      expect.stringContaining(one.status === 'closed' ? 'closed' : 'Direct messages cannot be sent'),
    ])

  const accepted = given.filter(({ code }) => code === 200)
  const ids = accepted.map(({ id }) => id)
  const rows = await until(async () => {
    const found = await repliesOf(ids)
    return found.every(({ status }) => status !== 'waiting') && found
  })
  expect(rows.filter(({ status }) => status !== 'sent')).toEqual([])
  const ledger = (await publishing.sandbox.ledger()) as LedgerEntry[]
  const had = accepted.map(({ one, text }) => {
    const found = ledger.filter((entry) => entry.text === text && entry.network === one.network)
    return [named(one), found.length, found[0]?.media.length, found[0]?.parentId ?? null]
  })
  expect(had).toEqual(accepted.map((one) => [named(one.one), 1, mediaWanted(one.one), parentWanted(one)]))
  const timeline = await Promise.all(accepted.map(({ id }) => inbox.entries(id)))
  expect(timeline.flat().filter(({ details }) => details.status !== undefined && details.status !== 'sent')).toEqual([])
})

interface LedgerEntry {
  network: string
  text: string
  /** For messages the thread. */
  parentId: string | null
  media: unknown[]
}

/** Messenger sends a file and a text as two messages. */
const mediaWanted = (one: Case) =>
  one.withMedia && one.media && !(isMessage(one) && one.network === 'Facebook') ? 1 : 0

function parentWanted({ one, begun, nested }: { one: Case; begun: string; nested: string }) {
  if (isMessage(one) || !one.withParent || !one.threads) return begun
  // Under a post that mentions us the comment itself starts a thread.
  return one.itemType === 'Mention' || !one.twoLevels ? nested : begun
}
