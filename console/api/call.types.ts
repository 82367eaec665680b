import { type ApiError, type Body, call, type Route } from './call.ts'

/** Type tests for calls. Nothing here runs: the type check fails if a line that must not compile does. */

/** Every operation must declare a response type. */
type Untyped = { [R in Route]: Body<R> extends { Result: true } ? never : R }[Route]
const untyped: Untyped[] = []
const nothingUntyped: never[] = untyped

export async function responses() {
  const { Items, Total } = await call('v2 GET /campaign', { status: 'active', withTags: true, _count: 25 })
  const sums: number = Total + (Items[0]?.Clicks ?? 0)
  const tags: string[] | undefined = Items[0]?.Tags
  // @ts-expect-error a field that is called otherwise
  const renamed = Items[0]?.Title
  // @ts-expect-error a field of a campaign that its list does not show
  const unlisted = Items[0]?.Color
  // @ts-expect-error a moment is text on the wire
  const moment: Date | undefined = Items[0]?.Created
  const { Campaign } = await call('v2 GET /campaign/{id}', { id: '002demo00000001' })
  const status: 'active' | 'complete' | 'paused' | 'archived' = Campaign.Status
  // @ts-expect-error it is answered under its own name
  const { Item } = await call('v2 GET /campaign/{id}', { id: '002demo00000001' })
  // @ts-expect-error one by its id, or a list: whoever asks has to look which
  const [event] = (await call('v2 GET /calendar/custom-events')).Items
  const user = (await call('GET /session')).User
  // @ts-expect-error yes and no are 1 and 0 there
  const stays: boolean | undefined = (await call('GET /sessions')).Items[0]?.Stays
  return [sums, tags, renamed, unlisted, moment, status, Item, event, user.Role, stays, nothingUntyped]
}

export async function requests() {
  await call('v2 POST /campaign', { name: 'Spring', tagIds: ['0AFdemo00000001'] })
  await call('v2 POST /post/{id}', { id: '004demo00000001', startDateTime: '2027-03-01 09:00:00' })
  await call('v2 POST /calendar', { fromDate: '2027-03-01', toDate: 1_803_859_200, filters: { statuses: ['draft'] } })
  await call('PUT /workflow/{id}', {
    id: 'cwfdemo00000001',
    steps: [{ name: 'Legal', mustBeApprovedByEveryone: true }],
  })
  // @ts-expect-error a parameter that there is not
  await call('v2 POST /campaign', { name: 'Spring', title: 'Spring' })
  // @ts-expect-error one of another kind
  await call('v2 POST /campaign', { name: 7 })
  // @ts-expect-error a word that is not in the list
  await call('v2 GET /campaign', { status: 'asleep' })
  // @ts-expect-error a name is needed
  await call('v2 POST /campaign', {})
  // @ts-expect-error something is needed
  await call('v2 POST /campaign')
  // @ts-expect-error a path without its id
  await call('v2 DELETE /campaign/{id}', {})
  // @ts-expect-error a step without a name
  await call('PUT /workflow/{id}', { id: 'cwfdemo00000001', steps: [{ mustBeApprovedByEveryone: true }] })
  // @ts-expect-error an operation that there is not
  await call('v2 PATCH /campaign/{id}', { id: '002demo00000001' })
  // @ts-expect-error an operation of the console is none of the contract
  await call('v2 GET /session')
}

export function errors({ kind, retryAfter }: ApiError) {
  // @ts-expect-error a kind of failure that there is not
  if (kind === 'sad') return 0
  return kind === 'limited' ? retryAfter : undefined
}
