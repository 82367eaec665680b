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
  /** Kind of the connector's fault. */
  fault?: string | undefined
  ms: number
}

export type MediaName = 'image' | 'secondImage' | 'video' | 'document'

/** Dependencies of the steps, for the real network, the sandbox or a recording. */
export interface StepContext {
  connector: Connector
  actor: Actor
  clock: Clock
  wait(milliseconds: number): Promise<void>
  media(name: MediaName): MediaRef
  /** Contained in every published text, to identify the posts of the run. */
  mark: string
  link: string
  onStepStart(step: string): void
  onStepEnd(result: StepResult): void
  /** Whether a stop was requested; published content is still deleted. */
  stopped?(): boolean
  /** A hint added to the error of a failed step. */
  advice?(step: string): string | undefined
}

/** Content published so far. */
interface Created {
  posts: { kind: ContentKind; receipt: Receipt }[]
  comments: Receipt[]
  /** The app can't list the profile's posts. */
  postsHidden: boolean
}

/** Runs the planned checks and deletes the published content, even after failures. */
export async function runSteps(context: StepContext, checks: readonly Check[]): Promise<StepResult[]> {
  const created: Created = { posts: [], comments: [], postsHidden: false }
  const results: StepResult[] = []
  const step = stepRunner(context, results)
  for (const check of checks) {
    if (context.stopped?.()) break
    if (isContent(check)) await publishAndFind(context, step, created, check)
    else await otherSteps[check](context, step, created)
  }
  await cleanUp(context, step, created)
  return results
}

type Done = Partial<Pick<StepResult, 'outcome' | 'remoteId' | 'remoteUrl'>> & { detail: string }
type StepRunner = (name: string, act: () => Promise<Done>) => Promise<void>

function stepRunner(context: StepContext, results: StepResult[]): StepRunner {
  return async (name, act) => {
    context.onStepStart(name)
    const result = await runStep(name, context.clock, act, () => context.advice?.(name))
    results.push(result)
    context.onStepEnd(result)
  }
}

/** Runs a step and returns its result; never throws. */
export async function runStep(
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

function draftOf({ mark, media, link }: StepContext, kind: ContentKind): Draft {
  const text = ownText(mark, kind)
  const title = `Chorus live check ${mark}`
  if (kind === 'text') return { text, media: [] }
  if (kind === 'link')
    return { text, media: [], link: { url: link, title, description: 'A test of links.', imageUrl: '' } }
  if (kind === 'images') return { text, title, media: [media('image'), media('secondImage')] }
  return { text, title, media: [media(kind)] }
}

async function publishAndFind(
  context: StepContext,
  step: StepRunner,
  created: Created,
  kind: ContentKind,
): Promise<void> {
  const { connector, actor, clock } = context
  const draft = draftOf(context, kind)
  const since = clock.now()
  let progress: Progress | undefined
  const save = async (currentProgress: Progress) => {
    progress = structuredClone(currentProgress)
  }
  await step(`publish ${kind}`, async () => {
    const receipt = await publishToEnd(context, draft, save, () => progress)
    created.posts.push({ kind, receipt })
    const { remoteId, remoteUrl, notice } = receipt
    return { detail: ['Published.', notice].filter(Boolean).join(' '), remoteId, remoteUrl }
  })
  // A post with an unknown outcome may exist and must be deleted like the others.
  const receipt = created.posts.find((post) => post.kind === kind)?.receipt
  if (!receipt && progress?.stage !== 'committing') return
  await step(`find ${kind}`, async () => {
    const found = await readUntil(
      context,
      () => connector.findPost(actor, draft, since, progress),
      (one) => one.state === 'found',
    )
    created.postsHidden = found.state === 'undecidable'
    if (found.state === 'found' && !receipt) created.posts.push({ kind, receipt: found })
    return searchResult(found)
  })
}

async function publishToEnd(
  context: StepContext,
  draft: Draft,
  save: (progress: Progress) => Promise<void>,
  currentProgress: () => Progress | undefined,
): Promise<Receipt> {
  const { connector, actor, clock, wait } = context
  const until = clock.now().getTime() + publishTimeoutMs
  for (;;) {
    const result = await withRetries(context, () => connector.publish(actor, draft, save, currentProgress()))
    if (result.state === 'done') return result
    await save(result.progress)
    if (clock.now().getTime() > until)
      throw new Error(`The post was not done after ${publishTimeoutMs / 60_000} minutes.`)
    await wait(Math.max(result.checkAfterMs, 1000))
  }
}

/** Retries errors that the connector classifies as retryable; all others are findings. */
async function withRetries<Result>({ wait }: StepContext, call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      const fault = error instanceof NetworkError ? error.fault : undefined
      if (fault?.kind !== 'retryable' || attempt === maxAttempts) throw error
      await wait(fault.afterMs ?? 5_000)
    }
  }
}

/** Reads a list repeatedly, because networks list new content with a delay. */
async function readUntil<Result>(
  context: StepContext,
  read: () => Promise<Result>,
  isComplete: (result: Result) => boolean,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await withRetries(context, read)
    if (isComplete(result) || attempt === maxReads) return result
    await context.wait(readIntervalMs)
  }
}

function searchResult(found: Found): Done {
  if (found.state === 'found') return { detail: 'Found again.', remoteId: found.remoteId, remoteUrl: found.remoteUrl }
  if (found.state === 'undecidable') return { outcome: 'unclear', detail: found.why }
  return { outcome: 'failed', detail: 'It was published, but the search does not find it.' }
}

type OtherStep = (context: StepContext, step: StepRunner, created: Created) => Promise<void>

const otherSteps: { readonly [check in Exclude<Check, ContentKind>]: OtherStep } = {
  profile: (context, step) =>
    step('profile', async () => {
      const { followers } = await withRetries(context, () => context.connector.profile(context.actor))
      return { detail: followers === undefined ? 'Read, without a number of followers.' : 'Read.' }
    }),
  comment: (context, step, created) => publishComment(context, step, created, 'comment', (postId) => ({ postId })),
  reply: (context, step, created) => {
    const [root] = created.comments
    if (!root) return skip(step, 'reply', 'There is no comment to reply to.')
    const under = { commentId: root.remoteId, rootCommentId: root.remoteId }
    return publishComment(context, step, created, 'reply', (postId) => ({ postId, ...under }))
  },
  comments: (context, step, created) => {
    const [comment] = created.comments
    return withPost(step, created, 'comments', async (postId) => {
      const { connector, actor } = context
      const { items } = await readUntil(
        context,
        () => connector.fetchComments(actor, postId),
        (page) => !comment || page.items.some(({ remoteId }) => remoteId === comment.remoteId),
      )
      if (comment && !items.some(({ remoteId }) => remoteId === comment.remoteId))
        return { outcome: 'failed', detail: 'The comment that was written is not among those read.' }
      return { detail: `Read ${items.length}.` }
    })
  },
  like: (context, step, created) => {
    const { connector, actor } = context
    const [comment] = created.comments
    const onPost = manifestOf(actor.network).likes.includes('post')
    if (!onPost && !comment) return skip(step, 'like', 'There is no comment to like.')
    return withPost(step, created, 'like', async (postId) => {
      const commentId = comment?.remoteId
      await connector.like(actor, onPost ? { postId } : { postId, commentId, rootCommentId: commentId })
      return { detail: `Liked the ${onPost ? 'post' : 'comment'}.` }
    })
  },
  metrics: (context, step, created) =>
    withPost(step, created, 'metrics', async (postId) => {
      const numbers = await withRetries(context, () => context.connector.metrics(context.actor, [postId]))
      const metricNames = Object.entries(numbers.get(postId) ?? {}).flatMap(([name, value]) =>
        value === undefined ? [] : name,
      )
      if (metricNames.length === 0) return { outcome: 'unclear', detail: 'The network has no metrics of the post yet.' }
      return { detail: `Read ${metricNames.join(', ')}.` }
    }),
  stream: (context, step, created) => {
    if (created.postsHidden)
      return skip(step, 'stream', 'The network does not show the posts of this profile to the app.')
    return withPost(step, created, 'stream', async (postId) => {
      const { connector, actor } = context
      const type = manifestOf(actor.network).streams?.own ?? ''
      const { items } = await readUntil(
        context,
        () => connector.fetchStream(actor, { type }),
        (page) => page.items.some(({ remoteId }) => remoteId === postId),
      )
      const isListed = items.some(({ remoteId }) => remoteId === postId)
      if (!isListed) return { outcome: 'failed', detail: 'The post is not in the stream of own posts.' }
      return { detail: `Read ${items.length}, the post among them.` }
    })
  },
  inbox: (context, step) =>
    step('inbox', async () => {
      const { items } = await withRetries(context, () => context.connector.fetchInbox(context.actor))
      return { detail: `Read ${items.length}.` }
    }),
  renew: (context, step) =>
    step('renew', async () => {
      context.actor.secret = await context.connector.refreshToken(context.actor)
      return { detail: 'The network gave a new token.' }
    }),
}

async function publishComment(
  context: StepContext,
  step: StepRunner,
  created: Created,
  name: 'comment' | 'reply',
  target: (postId: string) => Target,
): Promise<void> {
  const { connector, actor, mark, clock } = context
  const text = ownText(mark, name)
  const since = clock.now()
  const before = created.comments.length
  let to: Target | undefined
  await withPost(step, created, name, async (postId) => {
    to = target(postId)
    const receipt = await connector.reply(actor, to, text, [])
    created.comments.push(receipt)
    return { detail: 'Published.', remoteId: receipt.remoteId, remoteUrl: receipt.remoteUrl }
  })
  const sent = to
  if (!sent || created.comments.length === before) return
  await step(`find ${name}`, async () =>
    searchResult(
      await readUntil(
        context,
        () => connector.findReply(actor, sent, text, since),
        (found) => found.state === 'found',
      ),
    ),
  )
}

function withPost(
  step: StepRunner,
  created: Created,
  name: string,
  act: (postId: string) => Promise<Done>,
): Promise<void> {
  const [first] = created.posts
  return first ? step(name, () => act(first.receipt.remoteId)) : skip(step, name, 'No post was published.')
}

const skip = (step: StepRunner, name: string, detail: string) =>
  step(name, async () => ({ outcome: 'skipped', detail }))

/** Deletes newest first: replies before comments, comments before posts. */
async function cleanUp(context: StepContext, step: StepRunner, created: Created): Promise<void> {
  const { connector, actor } = context
  const capability = connector.capabilities(actor).remove
  const { name, repliesArePosts } = manifestOf(actor.network)
  const replies = repliesArePosts ? created.comments.map((receipt) => ({ kind: 'comment', receipt })) : []
  for (const { kind, receipt } of [...replies.toReversed(), ...created.posts.toReversed()]) {
    const { remoteId, remoteUrl } = receipt
    const location = remoteUrl ?? remoteId
    await step(`delete ${kind}`, async () => {
      if (capability !== 'yes') {
        const reason = typeof capability === 'object' ? capability.gated : `${name} lets no app delete posts.`
        return { outcome: 'skipped', detail: `${reason} Delete it by hand: ${location}`, remoteId, remoteUrl }
      }
      await withRetries(context, () => connector.remove(actor, remoteId)).catch((error: Error) => {
        error.message = `${error.message} Delete it by hand: ${location}`
        throw error
      })
      return { detail: 'Deleted.', remoteId }
    })
  }
}

const publishTimeoutMs = 15 * 60_000
const maxAttempts = 3
const maxReads = 4
const readIntervalMs = 10_000
