import {
  QueryClient,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Body, CallFailure, call, type How, type Route, type Sent } from './call.ts'

/** What was asked for and answered, for all screens together. `call` itself tries again what may be tried again. */
export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      retry: false,
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Routes that only read: what they answer is kept, and read again when something of it changed. */
export type Reading = Extract<Route, `${'' | 'v2 '}GET ${string}` | 'v2 POST /calendar'>

/** What stands in the cache for a call. */
export const keyOf = <R extends Route>(route: R, sent?: Sent<R>) => (sent === undefined ? [route] : [route, sent])

/** Reads something and keeps it. While other things are asked for, what was there before stays, marked as `isPlaceholderData`. */
export function useCall<R extends Route>(
  route: R,
  sent: Sent<R>,
  how: { enabled?: boolean; keepsLast?: boolean } = {},
): UseQueryResult<Body<R>, CallFailure> {
  const { enabled = true, keepsLast = true } = how
  return useQuery<Body<R>, CallFailure>({
    queryKey: keyOf(route, sent),
    queryFn: ({ signal }) =>
      (call as (route: R, sent: Sent<R>, how: object) => Promise<Body<R>>)(route, sent, { signal }),
    enabled,
    ...(keepsLast && { placeholderData: (last: Body<R> | undefined) => last as never }),
  })
}

/** The same of several things at once, in their order; nothing where there is no answer yet. */
export function useCalls<R extends Route>(route: R, sents: readonly Sent<R>[]): (Body<R> | undefined)[] {
  const answers = useQueries({
    queries: sents.map((sent) => ({
      queryKey: keyOf(route, sent),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        (call as (route: R, sent: Sent<R>, how: object) => Promise<Body<R>>)(route, sent, { signal }),
    })),
  })
  return answers.map(({ data }) => data as Body<R> | undefined)
}

interface Change<R extends Route> {
  /** Shows the change before it is confirmed, and gives what takes it back. */
  before?: (sent: Sent<R>) => (() => void) | undefined
  done?: (body: Body<R>, sent: Sent<R>) => void
  /** What is no more as it was read, by route. */
  stale?: readonly Route[]
  refused?: (failure: CallFailure, sent: Sent<R>) => void
  /** Asked when its turn has come. */
  how?: (sent: Sent<R>) => How
}

/** Changes something. What was shown before it was confirmed is taken back when it is refused. */
export function useChange<R extends Route>(route: R, { before, done, stale = [], refused, how }: Change<R> = {}) {
  const change = (sent: Sent<R>) => {
    const { id, entityId } = sent as { id?: string; entityId?: string }
    return inTurn(id ?? entityId ?? route, () =>
      (call as (route: R, sent: Sent<R>, how: How) => Promise<Body<R>>)(route, sent, how?.(sent) ?? {}),
    )
  }
  return useMutation<Body<R>, CallFailure, Sent<R>, (() => void) | undefined>({
    mutationFn: (sent) => (before ? shownAhead(stale, () => change(sent)) : change(sent)),
    onMutate: (sent) => before?.(sent),
    onSuccess: (body, sent) => done?.(body, sent),
    onError: (failure, sent, takeBack) => {
      takeBack?.()
      refused?.(failure, sent)
    },
    // What was shown ahead has seen to it already.
    onSettled: () => before || readAgain(...stale),
  })
}

const lastOf = new Map<string, Promise<unknown>>()

/** Changes of one thing reach the service in the order in which they were made, however long each takes. */
export function inTurn<Answer>(thing: string, change: () => Promise<Answer>): Promise<Answer> {
  const answer = (lastOf.get(thing) ?? Promise.resolve()).then(change, change)
  lastOf.set(thing, answer)
  const forget = () => void (lastOf.get(thing) === answer && lastOf.delete(thing))
  answer.then(forget, forget)
  return answer
}

/** How many changes are shown ahead in what each route answers. */
const aheadIn = new Map<Route, number>()
let isLeaving = false

/** Does what is shown already: what these routes answer is not read before all such changes have ended, since it would show some of them undone. */
export async function shownAhead<Answer>(touched: readonly Route[], change: () => Promise<Answer>): Promise<Answer> {
  for (const route of touched) {
    aheadIn.set(route, (aheadIn.get(route) ?? 0) + 1)
    void cache.cancelQueries({ queryKey: [route] })
  }
  try {
    return await change()
  } finally {
    for (const route of touched) aheadIn.set(route, (aheadIn.get(route) ?? 1) - 1)
    readAgain(...touched)
  }
}

/** For who leaves the page: whatever changes, nothing is read in it any more. */
export function readNoMore() {
  isLeaving = true
  void cache.cancelQueries()
}

/** Has what these routes answered read again: at once where it is on the screen, else when it is looked at; where a change is shown ahead, at its end. */
export function readAgain(...routes: readonly Route[]): void {
  for (const route of routes) if (!isLeaving && !aheadIn.get(route)) void cache.invalidateQueries({ queryKey: [route] })
}

/** The sentence to show for whatever went wrong, and the id by which the service's log names it. */
export function told(error: unknown): { sentence: string; requestId: string } {
  if (error instanceof CallFailure) return { sentence: error.message, requestId: error.requestId }
  return { sentence: error instanceof Error ? error.message : String(error), requestId: '' }
}

/** A value once it has stayed the same for a while: nobody is asked about every letter. */
export function useSettled<Value>(value: Value, milliseconds: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return settled
}

/** Lists that are read page by page: they take `_page` and say how many there are. */
type Listing = { [R in Route]: Body<R> extends { Items: readonly unknown[]; Total: number } ? R : never }[Route]

type Item<R extends Listing> = Body<R> extends { Items: readonly (infer One)[] } ? One : never

interface Pages<One> {
  items: readonly One[]
  total: number
  isFirst: boolean
  error: CallFailure | null
  /** Reads on, if there is more. */
  more: () => void
  again: () => void
}

/** Reads a long list as somebody goes through it. */
export function usePages<R extends Listing>(route: R, sent: Sent<R>): Pages<Item<R>> {
  type Page = Body<R> & { Items: readonly Item<R>[]; Total: number }
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery<
    Page,
    CallFailure,
    { pages: Page[] },
    readonly unknown[],
    number
  >({
    queryKey: [...keyOf(route, sent), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      (call as (route: R, sent: object, how: object) => Promise<Page>)(
        route,
        { ...sent, _page: pageParam },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (_last, pages) => {
      const read = pages.reduce((sum, { Items }) => sum + Items.length, 0)
      return read < (pages.at(-1)?.Total ?? 0) && (pages.at(-1)?.Items.length ?? 0) > 0 ? pages.length : undefined
    },
  })
  return {
    items: data?.pages.flatMap(({ Items }) => Items) ?? [],
    total: data?.pages.at(-1)?.Total ?? 0,
    isFirst: isPending,
    error,
    more: () => void (hasNextPage && !isFetchingNextPage && fetchNextPage()),
    again: () => void refetch(),
  }
}

/** Lists that go on from the `Next` of the page before. */
type Cursor = { [R in Route]: Body<R> extends { Items: readonly unknown[]; Next: string | null } ? R : never }[Route]

type CursorItem<R extends Cursor> = Body<R> extends { Items: readonly (infer One)[] } ? One : never

/** Reads a list on that grows at its beginning; how many there are nobody counts. */
export function useCursor<R extends Cursor>(route: R, sent: Sent<R>): Omit<Pages<CursorItem<R>>, 'total'> {
  type Page = { Items: readonly CursorItem<R>[]; Next: string | null }
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery<
    Page,
    CallFailure,
    { pages: Page[] },
    readonly unknown[],
    string
  >({
    queryKey: [...keyOf(route, sent), 'cursor'],
    queryFn: ({ signal, pageParam }) =>
      (call as (route: R, sent: object, how: object) => Promise<Page>)(
        route,
        { ...sent, ...(pageParam && { _after: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ Next }) => Next ?? undefined,
  })
  return {
    items: data?.pages.flatMap(({ Items }) => Items) ?? [],
    isFirst: isPending,
    error,
    more: () => void (hasNextPage && !isFetchingNextPage && fetchNextPage()),
    again: () => void refetch(),
  }
}
