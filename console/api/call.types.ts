import { type ApiError, type Body, call, type Route } from './call.ts'

/** Type tests for calls. Nothing here runs: the type check fails if a line that must not compile does. */

/** Every operation must declare a response type. */
type Untyped = { [R in Route]: Body<R> extends { Result: true } ? never : R }[Route]
const untyped: Untyped[] = []
const noneUntyped: never[] = untyped

export async function responses() {
  const { Items, Total } = await call('v2 GET /campaign', { status: 'active', withTags: true, _count: 25 })
  const sums: number = Total + (Items[0]?.Clicks ?? 0)
  const tags: string[] | undefined = Items[0]?.Tags
  // @ts-expect-error unknown response field
  const renamed = Items[0]?.Title
  // @ts-expect-error field omitted from the list response
  const unlisted = Items[0]?.Color
  // @ts-expect-error timestamps are strings in the API
  const created: Date | undefined = Items[0]?.Created
  const { Campaign } = await call('v2 GET /campaign/{id}', { id: '002demo00000001' })
  const status: 'active' | 'complete' | 'paused' | 'archived' = Campaign.Status
  // @ts-expect-error the response field is named after the resource
  const { Item } = await call('v2 GET /campaign/{id}', { id: '002demo00000001' })
  // @ts-expect-error the response is an entity or a list and has to be narrowed first
  const [event] = (await call('v2 GET /calendar/custom-events')).Items
  const user = (await call('GET /session')).User
  // @ts-expect-error booleans are encoded as 0 and 1
  const staySignedIn: boolean | undefined = (await call('GET /sessions')).Items[0]?.Stays
  return [sums, tags, renamed, unlisted, created, status, Item, event, user.Role, staySignedIn, noneUntyped]
}

export async function requests() {
  await call('v2 POST /campaign', { name: 'Spring', tagIds: ['0AFdemo00000001'] })
  await call('v2 POST /post/{id}', { id: '004demo00000001', startDateTime: '2027-03-01 09:00:00' })
  await call('v2 POST /calendar', { fromDate: '2027-03-01', toDate: 1_803_859_200, filters: { statuses: ['draft'] } })
  await call('PUT /workflow/{id}', {
    id: 'cwfdemo00000001',
    steps: [{ name: 'Legal', mustBeApprovedByEveryone: true }],
  })
  // @ts-expect-error unknown parameter
  await call('v2 POST /campaign', { name: 'Spring', title: 'Spring' })
  // @ts-expect-error wrong parameter type
  await call('v2 POST /campaign', { name: 7 })
  // @ts-expect-error value not in the enumeration
  await call('v2 GET /campaign', { status: 'asleep' })
  // @ts-expect-error missing required parameter
  await call('v2 POST /campaign', {})
  // @ts-expect-error missing parameters
  await call('v2 POST /campaign')
  // @ts-expect-error missing path parameter
  await call('v2 DELETE /campaign/{id}', {})
  // @ts-expect-error missing required field of a nested object
  await call('PUT /workflow/{id}', { id: 'cwfdemo00000001', steps: [{ mustBeApprovedByEveryone: true }] })
  // @ts-expect-error unknown operation
  await call('v2 PATCH /campaign/{id}', { id: '002demo00000001' })
  // @ts-expect-error console operations are not part of the contract
  await call('v2 GET /session')
}

export function errors({ kind, retryAfter }: ApiError) {
  // @ts-expect-error unknown error kind
  if (kind === 'sad') return 0
  return kind === 'limited' ? retryAfter : undefined
}
