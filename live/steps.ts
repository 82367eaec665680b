import type { Clock } from '#kernel/clock.ts'
import type { Actor, Connector } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import type { Draft, Found, MediaRef, Progress, Receipt, Target } from '#networks/connector/draft.ts'
import { manifestOf } from '#networks/manifests.ts'
import { type Check, type ContentKind, isContent } from './plan.ts'

export interface StepResult {
  name: string
  outcome: 'done' | 'failed' | 'unclear' | 'skipped'
  detail: string
  remoteId?: string | undefined
  remoteUrl?: string | undefined
  /** The kind of fault that the connector saw. */
  fault?: string | undefined
  ms: number
}

export type MediaName = 'image' | 'secondImage' | 'video' | 'document'

/** What the steps work with: the real network, the sandbox or a recording. */
export interface StepWorld {
  connector: Connector
  actor: Actor
  clock: Clock
  wait(milliseconds: number): Promise<void>
  media(name: MediaName): MediaRef
  /** In every text, so that the posts can be told from others. */
  mark: string
  link: string
  /** Hears the name of each step before it begins. */
  begins(step: string): void
  ends(result: StepResult): void
  /** Somebody wants it to end: what was made is still deleted. */
  stopped?(): boolean
  /** What to add to a failure, where the live check knows more than the network says. */
  advice?(step: string): string | undefined
}

/** What the steps have made so far. */
interface Made {
  posts: { kind: ContentKind; receipt: Receipt }[]
  comments: Receipt[]
  /** The network does not show the profile's posts to the app. */
  unseen: boolean
}

/** Does everything in the plan and deletes what was made, whatever fails in between. */
export async function runSteps(world: StepWorld, checks: readonly Check[]): Promise<StepResult[]> {
  const made: Made = { posts: [], comments: [], unseen: false }
  const results: StepResult[] = []
  const step = stepper(world, results)
  for (const check of checks) {
    if (world.stopped?.()) break
    if (isContent(check)) await publishAndFind(world, step, made, check)
    else await others[check](world, step, made)
  }
  await cleanUp(world, step, made)
  return results
}

type Done = Partial<Pick<StepResult, 'outcome' | 'remoteId' | 'remoteUrl'>> & { detail: string }
type Stepper = (name: string, act: () => Promise<Done>) => Promise<void>

function stepper(world: StepWorld, results: StepResult[]): Stepper {
  return async (name, act) => {
    world.begins(name)
    const result = await attempted(name, world.clock, act, () => world.advice?.(name))
    results.push(result)
    world.ends(result)
  }
}

/** Does a step and tells what became of it; it never throws. */
export async function attempted(
  name: string,
  clock: Clock,
  act: () => Promise<Done>,
  advice: () => string | undefined = () => undefined,
): Promise<StepResult> {
  const start = clock.now().getTime()
  const result = await act()
    .then((done): Omit<StepResult, 'name' | 'ms'> => ({ outcome: 'done', ...done }))
    .catch((error: unknown) => failed(error, advice()))
  return { name, ...result, ms: clock.now().getTime() - start }
}

function failed(error: unknown, advice: string | undefined): Omit<StepResult, 'name' | 'ms'> {
  const detail = [error instanceof Error ? error.message : String(error), advice].filter(Boolean).join(' ')
  if (!(error instanceof NetworkError)) return { outcome: 'failed', detail, fault: 'error' }
  const { fault } = error
  return { outcome: 'failed', detail, fault: fault.kind === 'permanent' ? `permanent ${fault.why}` : fault.kind }
}

export const ownText = (mark: string, what: string) => `Chorus live check ${mark}, ${what}. Please ignore it.`

function draftOf({ mark, media, link }: StepWorld, kind: ContentKind): Draft {
  const text = ownText(mark, kind)
  const title = `Chorus live check ${mark}`
  if (kind === 'text') return { text, media: [] }
  if (kind === 'link')
    return { text, media: [], link: { url: link, title, description: 'A test of links.', imageUrl: '' } }
  if (kind === 'images') return { text, title, media: [media('image'), media('secondImage')] }
  return { text, title, media: [media(kind)] }
}

async function publishAndFind(world: StepWorld, step: Stepper, made: Made, kind: ContentKind): Promise<void> {
  const { connector, actor, clock } = world
  const draft = draftOf(world, kind)
  const since = clock.now()
  let progress: Progress | undefined
  const save = async (reached: Progress) => {
    progress = structuredClone(reached)
  }
  await step(`publish ${kind}`, async () => {
    const receipt = await publishToEnd(world, draft, save, () => progress)
    made.posts.push({ kind, receipt })
    const { remoteId, remoteUrl, notice } = receipt
    return { detail: ['Published.', notice].filter(Boolean).join(' '), remoteId, remoteUrl }
  })
  // A post whose outcome is not known may be there, and must be deleted like the others.
  const known = made.posts.find((post) => post.kind === kind)?.receipt
  if (!known && progress?.stage !== 'committing') return
  await step(`find ${kind}`, async () => {
    const found = await untilSeen(
      world,
      () => connector.findPost(actor, draft, since, progress),
      (one) => one.state === 'found',
    )
    made.unseen = found.state === 'undecidable'
    if (found.state === 'found' && !known) made.posts.push({ kind, receipt: found })
    return foundOrNot(found)
  })
}

async function publishToEnd(
  world: StepWorld,
  draft: Draft,
  save: (progress: Progress) => Promise<void>,
  reached: () => Progress | undefined,
): Promise<Receipt> {
  const { connector, actor, clock, wait } = world
  const until = clock.now().getTime() + patienceMs
  for (;;) {
    const result = await repeated(world, () => connector.publish(actor, draft, save, reached()))
    if (result.state === 'done') return result
    await save(result.progress)
    if (clock.now().getTime() > until) throw new Error(`The post was not done after ${patienceMs / 60_000} minutes.`)
    await wait(Math.max(result.checkAfterMs, 1000))
  }
}

/** Repeats what the connector calls repeatable; everything else is a finding. */
async function repeated<Result>({ wait }: StepWorld, call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      const fault = error instanceof NetworkError ? error.fault : undefined
      if (fault?.kind !== 'retryable' || attempt === mostAttempts) throw error
      await wait(fault.afterMs ?? 5_000)
    }
  }
}

/** Lists of networks show something new after a while only. */
async function untilSeen<Result>(
  world: StepWorld,
  look: () => Promise<Result>,
  isSeen: (result: Result) => boolean,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await repeated(world, look)
    if (isSeen(result) || attempt === mostLooks) return result
    await world.wait(lookAgainMs)
  }
}

function foundOrNot(found: Found): Done {
  if (found.state === 'found') return { detail: 'Found again.', remoteId: found.remoteId, remoteUrl: found.remoteUrl }
  if (found.state === 'undecidable') return { outcome: 'unclear', detail: found.why }
  return { outcome: 'failed', detail: 'It was published, but the search does not find it.' }
}

type OtherStep = (world: StepWorld, step: Stepper, made: Made) => Promise<void>

const others: { readonly [check in Exclude<Check, ContentKind>]: OtherStep } = {
  profile: (world, step) =>
    step('profile', async () => {
      const { followers } = await repeated(world, () => world.connector.profile(world.actor))
      return { detail: followers === undefined ? 'Read, without a number of followers.' : 'Read.' }
    }),
  comment: (world, step, made) => say(world, step, made, 'comment', (postId) => ({ postId })),
  reply: (world, step, made) => {
    const [root] = made.comments
    if (!root) return skip(step, 'reply', 'There is no comment to reply to.')
    const under = { commentId: root.remoteId, rootCommentId: root.remoteId }
    return say(world, step, made, 'reply', (postId) => ({ postId, ...under }))
  },
  comments: (world, step, made) => {
    const [comment] = made.comments
    return withPost(step, made, 'comments', async (postId) => {
      const { connector, actor } = world
      const { items } = await untilSeen(
        world,
        () => connector.fetchComments(actor, postId),
        (page) => !comment || page.items.some(({ remoteId }) => remoteId === comment.remoteId),
      )
      if (comment && !items.some(({ remoteId }) => remoteId === comment.remoteId))
        return { outcome: 'failed', detail: 'The comment that was written is not among those read.' }
      return { detail: `Read ${items.length}.` }
    })
  },
  like: (world, step, made) => {
    const { connector, actor } = world
    const [comment] = made.comments
    const onPost = manifestOf(actor.network).likes.includes('post')
    if (!onPost && !comment) return skip(step, 'like', 'There is no comment to like.')
    return withPost(step, made, 'like', async (postId) => {
      const commentId = comment?.remoteId
      await connector.like(actor, onPost ? { postId } : { postId, commentId, rootCommentId: commentId })
      return { detail: `Liked the ${onPost ? 'post' : 'comment'}.` }
    })
  },
  metrics: (world, step, made) =>
    withPost(step, made, 'metrics', async (postId) => {
      const numbers = await repeated(world, () => world.connector.metrics(world.actor, [postId]))
      const told = Object.entries(numbers.get(postId) ?? {}).flatMap(([name, value]) =>
        value === undefined ? [] : name,
      )
      if (told.length === 0) return { outcome: 'unclear', detail: 'The network has no metrics of the post yet.' }
      return { detail: `Read ${told.join(', ')}.` }
    }),
  stream: (world, step, made) => {
    if (made.unseen) return skip(step, 'stream', 'The network does not show the posts of this profile to the app.')
    return withPost(step, made, 'stream', async (postId) => {
      const { connector, actor } = world
      const type = manifestOf(actor.network).streams?.own ?? ''
      const { items } = await untilSeen(
        world,
        () => connector.fetchStream(actor, { type }),
        (page) => page.items.some(({ remoteId }) => remoteId === postId),
      )
      const isThere = items.some(({ remoteId }) => remoteId === postId)
      if (!isThere) return { outcome: 'failed', detail: 'The post is not in the stream of own posts.' }
      return { detail: `Read ${items.length}, the post among them.` }
    })
  },
  inbox: (world, step) =>
    step('inbox', async () => {
      const { items } = await repeated(world, () => world.connector.fetchInbox(world.actor))
      return { detail: `Read ${items.length}.` }
    }),
  renew: (world, step) =>
    step('renew', async () => {
      world.actor.secret = await world.connector.refreshToken(world.actor)
      return { detail: 'The network gave a new token.' }
    }),
}

async function say(
  world: StepWorld,
  step: Stepper,
  made: Made,
  name: 'comment' | 'reply',
  target: (postId: string) => Target,
): Promise<void> {
  const { connector, actor, mark, clock } = world
  const text = ownText(mark, name)
  const since = clock.now()
  const before = made.comments.length
  let to: Target | undefined
  await withPost(step, made, name, async (postId) => {
    to = target(postId)
    const receipt = await connector.reply(actor, to, text, [])
    made.comments.push(receipt)
    return { detail: 'Published.', remoteId: receipt.remoteId, remoteUrl: receipt.remoteUrl }
  })
  const sent = to
  if (!sent || made.comments.length === before) return
  await step(`find ${name}`, async () =>
    foundOrNot(
      await untilSeen(
        world,
        () => connector.findReply(actor, sent, text, since),
        (found) => found.state === 'found',
      ),
    ),
  )
}

function withPost(step: Stepper, made: Made, name: string, act: (postId: string) => Promise<Done>): Promise<void> {
  const [first] = made.posts
  return first ? step(name, () => act(first.receipt.remoteId)) : skip(step, name, 'No post was published.')
}

const skip = (step: Stepper, name: string, detail: string) => step(name, async () => ({ outcome: 'skipped', detail }))

/** The newest first: a reply before the comment, the comment before the post. */
async function cleanUp(world: StepWorld, step: Stepper, made: Made): Promise<void> {
  const { connector, actor } = world
  const capability = connector.capabilities(actor).remove
  const { name, repliesArePosts } = manifestOf(actor.network)
  const answers = repliesArePosts ? made.comments.map((receipt) => ({ kind: 'comment', receipt })) : []
  for (const { kind, receipt } of [...answers.toReversed(), ...made.posts.toReversed()]) {
    const { remoteId, remoteUrl } = receipt
    const where = remoteUrl ?? remoteId
    await step(`delete ${kind}`, async () => {
      if (capability !== 'yes') {
        const why = typeof capability === 'object' ? capability.gated : `${name} lets no app delete posts.`
        return { outcome: 'skipped', detail: `${why} Delete it by hand: ${where}`, remoteId, remoteUrl }
      }
      await repeated(world, () => connector.remove(actor, remoteId)).catch((error: Error) => {
        error.message = `${error.message} Delete it by hand: ${where}`
        throw error
      })
      return { detail: 'Deleted.', remoteId }
    })
  }
}

const patienceMs = 15 * 60_000
const mostAttempts = 3
const mostLooks = 4
const lookAgainMs = 10_000
