import {
  QueryClient,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, type Body, type CallOptions, call, type Params, type Route } from './call.ts'

/** Shared cache of all screens. Retries are left to `call`. */
export const queryClient = new QueryClient({
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

/** Read-only routes: their responses are cached and refetched when they become stale. */
export type ReadRoute = Extract<Route, `${'' | 'v2 '}GET ${string}` | 'v2 POST /calendar'>

export const queryKey = <R extends Route>(route: R, params?: Params<R>) =>
  params === undefined ? [route] : [route, params]

/** Cached read. While new parameters load, the previous data stays, marked as `isPlaceholderData`. */
export function useApiQuery<R extends Route>(
  route: R,
  params: Params<R>,
  options: { enabled?: boolean; keepPrevious?: boolean } = {},
): UseQueryResult<Body<R>, ApiError> {
  const { enabled = true, keepPrevious = true } = options
  return useQuery<Body<R>, ApiError>({
    queryKey: queryKey(route, params),
    queryFn: ({ signal }) =>
      (call as (route: R, params: Params<R>, options: object) => Promise<Body<R>>)(route, params, { signal }),
    enabled,
    ...(keepPrevious && { placeholderData: (last: Body<R> | undefined) => last as never }),
  })
}

/** Several reads in parallel, in order; undefined entries have not loaded yet. */
export function useApiQueries<R extends Route>(route: R, paramsList: readonly Params<R>[]): (Body<R> | undefined)[] {
  const results = useQueries({
    queries: paramsList.map((params) => ({
      queryKey: queryKey(route, params),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        (call as (route: R, params: Params<R>, options: object) => Promise<Body<R>>)(route, params, { signal }),
    })),
  })
  return results.map(({ data }) => data as Body<R> | undefined)
}

interface MutationOptions<R extends Route> {
  /** Shows the change before it is confirmed and returns the rollback. */
  optimistic?: (params: Params<R>) => (() => void) | undefined
  onSuccess?: (body: Body<R>, params: Params<R>) => void
  /** Routes whose cached responses become stale. */
  invalidates?: readonly Route[]
  onError?: (failure: ApiError, params: Params<R>) => void
  /** Evaluated when the request is sent, not when it is queued. */
  options?: (params: Params<R>) => CallOptions
}

/** Changes something. An optimistic update is rolled back if the request fails. */
export function useApiMutation<R extends Route>(
  route: R,
  { optimistic, onSuccess, invalidates = [], onError, options }: MutationOptions<R> = {},
) {
  const change = (params: Params<R>) => {
    const { id, entityId } = params as { id?: string; entityId?: string }
    return runInOrder(id ?? entityId ?? route, () =>
      (call as (route: R, params: Params<R>, options: CallOptions) => Promise<Body<R>>)(
        route,
        params,
        options?.(params) ?? {},
      ),
    )
  }
  return useMutation<Body<R>, ApiError, Params<R>, (() => void) | undefined>({
    mutationFn: (params) => (optimistic ? withOptimisticUpdate(invalidates, () => change(params)) : change(params)),
    onMutate: (params) => optimistic?.(params),
    onSuccess: (body, params) => onSuccess?.(body, params),
    onError: (failure, params, rollBack) => {
      rollBack?.()
      onError?.(failure, params)
    },
    // Optimistic updates invalidate in withOptimisticUpdate.
    onSettled: () => optimistic || invalidate(...invalidates),
  })
}

const lastChangeOf = new Map<string, Promise<unknown>>()

/** Changes of one entity reach the server in the order they were made, however long each takes. */
export function runInOrder<Result>(entity: string, change: () => Promise<Result>): Promise<Result> {
  const result = (lastChangeOf.get(entity) ?? Promise.resolve()).then(change, change)
  lastChangeOf.set(entity, result)
  const remove = () => void (lastChangeOf.get(entity) === result && lastChangeOf.delete(entity))
  result.then(remove, remove)
  return result
}

/** Number of optimistic updates in flight per route. */
const pendingUpdates = new Map<Route, number>()
let isLeaving = false

/**
 * Runs a change that is already shown. The routes are not refetched before all such changes have settled, because the response would show
 * some of them undone.
 */
export async function withOptimisticUpdate<Result>(
  routes: readonly Route[],
  change: () => Promise<Result>,
): Promise<Result> {
  for (const route of routes) {
    pendingUpdates.set(route, (pendingUpdates.get(route) ?? 0) + 1)
    void queryClient.cancelQueries({ queryKey: [route] })
  }
  try {
    return await change()
  } finally {
    for (const route of routes) pendingUpdates.set(route, (pendingUpdates.get(route) ?? 1) - 1)
    invalidate(...routes)
  }
}

/** For page unload: disables all further refetches. */
export function stopFetching() {
  isLeaving = true
  void queryClient.cancelQueries()
}

/**
 * Refetches the routes: immediately if they are on screen, otherwise when next used; after the last pending optimistic update if there is
 * one.
 */
export function invalidate(...routes: readonly Route[]): void {
  for (const route of routes)
    if (!isLeaving && !pendingUpdates.get(route)) void queryClient.invalidateQueries({ queryKey: [route] })
}

/** The message to show for an error, and the request id for the server log. */
export function errorDetails(error: unknown): { message: string; requestId: string } {
  if (error instanceof ApiError) return { message: error.message, requestId: error.requestId }
  return { message: error instanceof Error ? error.message : String(error), requestId: '' }
}

/** A value that has not changed for the given time, to avoid a request per keystroke. */
export function useDebounced<Value>(value: Value, milliseconds: number): Value {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return debounced
}

/** Lists with offset pagination: they take `_page` and return a total. */
type PagedRoute = { [R in Route]: Body<R> extends { Items: readonly unknown[]; Total: number } ? R : never }[Route]

type Item<R extends PagedRoute> = Body<R> extends { Items: readonly (infer One)[] } ? One : never

interface Pages<One> {
  items: readonly One[]
  total: number
  isLoading: boolean
  error: ApiError | null
  loadMore: () => void
  retry: () => void
}

/** Loads a long list page by page as the user scrolls. */
export function usePagedQuery<R extends PagedRoute>(route: R, params: Params<R>): Pages<Item<R>> {
  type Page = Body<R> & { Items: readonly Item<R>[]; Total: number }
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery<
    Page,
    ApiError,
    { pages: Page[] },
    readonly unknown[],
    number
  >({
    queryKey: [...queryKey(route, params), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      (call as (route: R, params: object, options: object) => Promise<Page>)(
        route,
        { ...params, _page: pageParam },
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
    isLoading: isPending,
    error,
    loadMore: () => void (hasNextPage && !isFetchingNextPage && fetchNextPage()),
    retry: () => void refetch(),
  }
}

/** Lists with cursor pagination: the next page starts at `Next`. */
type CursorRoute = {
  [R in Route]: Body<R> extends { Items: readonly unknown[]; Next: string | null } ? R : never
}[Route]

type CursorItem<R extends CursorRoute> = Body<R> extends { Items: readonly (infer One)[] } ? One : never

/** Loads a list that grows at its beginning, so there is no total. */
export function useCursorQuery<R extends CursorRoute>(
  route: R,
  params: Params<R>,
): Omit<Pages<CursorItem<R>>, 'total'> {
  type Page = { Items: readonly CursorItem<R>[]; Next: string | null }
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery<
    Page,
    ApiError,
    { pages: Page[] },
    readonly unknown[],
    string
  >({
    queryKey: [...queryKey(route, params), 'cursor'],
    queryFn: ({ signal, pageParam }) =>
      (call as (route: R, params: object, options: object) => Promise<Page>)(
        route,
        { ...params, ...(pageParam && { _after: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ Next }) => Next ?? undefined,
  })
  return {
    items: data?.pages.flatMap(({ Items }) => Items) ?? [],
    isLoading: isPending,
    error,
    loadMore: () => void (hasNextPage && !isFetchingNextPage && fetchNextPage()),
    retry: () => void refetch(),
  }
}
