import { useInfiniteQuery } from '@tanstack/react-query'
import { type Body, type CallFailure, call, type Route, type Sent } from './call.ts'
import { keyOf } from './queries.ts'

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
