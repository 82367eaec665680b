import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manifestOf, manifests, type Network } from '#networks/manifests.ts'
import { browser } from '../support/browser.ts'
import { placeEntry, placeItem } from '../support/inbox.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import { type Kind, kindNames, type Outcome, outcomeOf, plainPost } from './matrix/outcomes.ts'
import { appOf, chooseProducts, consentOf, makeProfile, profileIdOf } from './matrix/sandbox-setup.ts'
import { optionsOf, requestedScopes, type Setup, setups } from './matrix/setups.ts'
import { sandboxNetworks } from './sandbox-networks.ts'

/** Profiles of every setup are connected to the service, which rejects unsupported content on saving with the sentence of the matrix. */

let sandbox: Awaited<ReturnType<typeof sandboxNetworks>>
beforeAll(async () => {
  sandbox = await sandboxNetworks()
})
afterAll(() => sandbox.close())

const offered = setups.filter(({ isNotOffered }) => !isNotOffered)
const recipesOf = (network: Network) => [
  ...new Set(offered.filter((setup) => setup.network === network).map(({ recipe }) => recipe)),
]

/** An installation has one app per network, so the recipes are distributed over several installations. */
const installations = Array.from(
  { length: Math.max(...manifests.map(({ network }) => recipesOf(network).length)) },
  (_, index) => offered.filter(({ network, recipe }) => recipesOf(network)[index] === recipe),
)

describe.each(installations.map((members, index) => [index + 1, members] as const))(
  'installation %i:',
  (_, members) => {
    let service: TestService
    beforeAll(async () => {
      const apps = Object.assign({}, ...members.map(environmentOf)) as Record<string, string>
      const { port } = new URL(sandbox.url)
      service = await startTestService({
        environment: { CHORUS_ROLES: 'api', CHORUS_DEMO: '1', CHORUS_SANDBOX_PORT: port, ...apps },
      })
      for (const setup of members) {
        await makeProfile(sandbox, setup)
        await connectProfile(service, setup)
      }
    })
    afterAll(() => service.stop())

    test.each(members.map((setup) => [named(setup), setup] as const))(
      '%s saves or rejects each kind of content',
      async (_name, setup) => {
        const results: unknown[] = []
        for (const kind of kindNames.filter((one) => one in saveOf)) {
          const { status, json } = await saveOf[kind as keyof typeof saveOf](service, setup)
          const sentence = status === 200 ? '' : normal(json.Errors?.API?.Error ?? JSON.stringify(json))
          results.push([kind, status, sentence])
        }
        const expected = kindNames
          .filter((one) => one in saveOf)
          .map((kind) => expectedOf(kind, outcomeOf(setup, kind)))
        expect(results).toEqual(expected)
      },
    )

    test.each(members.map((setup) => [named(setup), setup] as const))('%s shows its gates', async (_name, setup) => {
      const { json } = await service.admin(`GET /app/api/credential/${credentialOf(setup)}/health`)
      const shown = (json.Health.Gates as { Reason: string }[]).map(({ Reason }) => Reason)
      const outcomes = kindNames.map((kind) => outcomeOf(setup, kind))
      for (const outcome of outcomes) if (outcome.state === 'gated') expect(shown).toContain(outcome.sentence)
      for (const [kind, itemType] of [
        ['reply', 'Post'],
        ['directMessage', 'Conversation'],
      ] as const) {
        const { id } = await item(service, setup, itemType)
        const outcome = outcomeOf(setup, kind)
        const conversation = (await service.reader(`GET /app/api/conversation/${id}`)).json.Conversation
        expect([kind, conversation.CannotReply]).toEqual([kind, outcome.state === 'works' ? '' : outcome.sentence])
      }
    })

    const self = members.filter(({ network, options }) => network === 'Twitter' && options?.tier === 'self-serve')
    if (self.length > 0)
      test.each(self.map((setup) => [named(setup), setup] as const))(
        '%s accepts replies to mentions of the account',
        async (_name, setup) => {
          const { id } = await item(service, setup, 'Reply', `Hi @matrix${profileIdOf(setup).id}, how far is it?`)
          const mention = await item(service, setup, 'Mention')
          for (const one of [id, mention.id])
            expect(
              (await service.contributor(`POST /conversation/${one}/reply`, { body: { message: 'Hi' } })).status,
            ).toBe(200)
        },
      )
  },
)

const named = ({ network, recipe, kind, role }: Setup) => `${network}, ${recipe}, ${kind}: ${role}`
const credentialOf = (setup: Setup) => `003-1-${profileIdOf(setup).id}`

/** The expected response for a cell of the matrix. */
const expectedOf = (kind: Kind, outcome: Outcome) =>
  outcome.state === 'works' ? [kind, 200, ''] : [kind, 400, expect.stringContaining(outcome.sentence)]

/** The settings that configure the app of a setup. */
function environmentOf(setup: Setup): Record<string, string> {
  const app = appOf(sandbox, setup)
  const prefix = `CHORUS_${manifestOf(setup.network).code.toUpperCase()}`
  const options = Object.entries(optionsOf(setup)).map(([name, value]) => [
    `${prefix}_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    value,
  ])
  return {
    ...Object.fromEntries(options),
    [`${prefix}_CLIENT_ID`]: app.clientId,
    [`${prefix}_CLIENT_SECRET`]: app.clientSecret,
    [`${prefix}_HOSTS`]: Object.entries(app.hosts)
      .map(([role, url]) => `${role}=${url}`)
      .join(','),
    [`${prefix}_SCOPES`]: requestedScopes(setup).join(' '),
  }
}

/** Connects the profile through the network's consent page. */
async function connectProfile(service: TestService, setup: Setup) {
  await chooseProducts(sandbox, setup)
  const headers = { authorization: `Basic ${Buffer.from(`${demoAccount}:${demoKey}`).toString('base64')}` }
  const person = browser()
  const redirect = await person.visit(`${service.url}/app/connect/${setup.network}?profiles=${profileIdOf(setup).id}`, {
    headers,
  })
  const consented = await person.visit(`${redirect.location}&${consentOf(setup)}`)
  const { status, text } = await person.visit(consented.location ?? '')
  if (status !== 200 || !text.includes('Connected')) throw new Error(`${named(setup)}: ${status} ${text}`)
}

interface SaveResult {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: responses of many endpoints
  json: any
}

const files = { image: '026demo00000001', multiImage: '026demo00000001,026demo00000002', video: '026demo00000005' }
const link = {
  linkUrl: 'https://acme.example/robots',
  linkTitle: 'Robots',
  description: 'They dance',
  imageUrl: 'https://acme.example/robots.jpg',
}

/** A message, and a post of it a day later. */
async function save(service: TestService, setup: Setup, content: object, more: object = {}): Promise<SaveResult> {
  const { network } = setup
  const title = manifestOf(network).needsTitle ? { title: 'Robots' } : {}
  const body = { network, campaignId: '002demo00000001', message: 'Our robots learned to dance.', ...title, ...content }
  const message = await service.publisher('POST /message', { body })
  if (message.status !== 200) return message
  const startDateTime = Math.floor(Date.now() / 1000) + 86_400
  const post = { messageId: message.json.Message.Id, credentialIds: credentialOf(setup), startDateTime, ...more }
  return service.publisher('POST /post', { body: post })
}

const plain = ({ network }: Setup) => {
  const kind = plainPost(network)
  return kind === 'text' ? {} : { media: files[kind] }
}

type ItemType = NonNullable<Parameters<typeof placeItem>[1]>['itemType']

const item = (service: TestService, setup: Setup, itemType: ItemType, text = 'How far is it?') =>
  placeItem(service.databaseUrl, { network: setup.network, credentialId: credentialOf(setup), itemType, text })

async function answer(service: TestService, setup: Setup, itemType: ItemType, more: object = {}): Promise<SaveResult> {
  const { id } = await item(service, setup, itemType)
  return service.contributor(`POST /conversation/${id}/reply`, { body: { message: 'Far', ...more } })
}

type Save = (service: TestService, setup: Setup) => Promise<SaveResult>

/** How each kind is saved over HTTP; likes, deletions and reshares by advocates are not saved. */
const saveOf: { readonly [kind in Exclude<Kind, 'like' | 'remove' | 'reshare'>]: Save } = {
  text: (service, setup) => save(service, setup, {}),
  link: (service, setup) => save(service, setup, link),
  image: (service, setup) => save(service, setup, { media: files.image }),
  multiImage: (service, setup) => save(service, setup, { media: files.multiImage }),
  video: (service, setup) => save(service, setup, { media: files.video }),
  document: (service, setup) => save(service, setup, { media: '026demo00000006' }),
  firstComment: (service, setup) => save(service, setup, plain(setup), { firstComment: { text: 'First' } }),
  reply: (service, setup) => answer(service, setup, 'Post'),
  async threadedReply(service, setup) {
    const { id } = await item(service, setup, 'Post')
    const parent = await placeEntry(service.databaseUrl, { itemId: id, credentialId: credentialOf(setup) })
    return service.contributor(`POST /conversation/${id}/reply`, {
      body: { message: 'Far', parent_comment_id: parent },
    })
  },
  replyMedia: (service, setup) => answer(service, setup, 'Post', { media: [{ Id: files.image }] }),
  directMessage: (service, setup) => answer(service, setup, 'Conversation'),
  async audience(service, setup) {
    const path = `/credential/${credentialOf(setup)}/targeting-presets`
    const made = await service.admin(`POST /app/api${path}`, { body: { name: 'Robots', industry: '4' } })
    if (made.status !== 200) return made
    const targetingPresetId = Object.values(made.json as Record<string, { Id?: string }>).find((part) => part?.Id)?.Id
    return save(service, setup, plain(setup), { targetingPresetId })
  },
}

/** File names differ between the demo library and the documented matrix. */
const normal = (sentence: string) =>
  [
    ...new Set(
      sentence
        .replaceAll(/mountain-dawn\.jpg|forest-trail\.jpg/g, 'photo.jpg')
        .replaceAll('field-guide.pdf', 'paper.pdf')
        .split(/(?<=\.) /),
    ),
  ].join(' ')
