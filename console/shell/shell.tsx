import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { LinkButton } from '../ui/inputs/button.tsx'
import { Toasts } from '../ui/layers/toasts.tsx'
import { Bar } from '../ui/layout/bar.tsx'
import { Empty, Locked, Waiting } from '../ui/layout/states.tsx'
import { openFeed } from '../wire/feed.ts'
import { cache, readAgain } from '../wire/queries.ts'
import { hearReach, isLost } from '../wire/reach.ts'
import { useAdmins, useMay, useWho } from '../wire/session.ts'
import { words } from '../words/words.ts'
import { Boundary } from './boundary.tsx'
import { type Binding, useKeys } from './keys.ts'
import { OfflineBar } from './offline-bar.tsx'
import { type Place, placeAt, places } from './places.ts'
import { PhoneTabs, Rail } from './rail.tsx'
import { go, tellPlaces, useAddress } from './router.ts'
import { SignInAgain } from './sign-in-again.tsx'

const loadPalette = () => import('./palette.tsx')
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))
const KeyList = lazy(async () => ({ default: (await import('./key-list.tsx')).KeyList }))

/** What stands around every screen. */
export function Shell() {
  const who = useWho()
  const may = useMay()
  const { path, isPending } = useAddress()
  const [overlay, setOverlay] = useState<'palette' | 'keys'>()
  const open = places.filter(({ needs }) => may(needs))
  tellPlaces(open.map((one) => one.path))
  const place = placeAt(path)
  useEffect(() => {
    if (path === '/app') go('/app/home', { replace: true })
  }, [path])
  const mayListen = may('read')
  useEffect(() => (mayListen ? openFeed(who.User.Id) : undefined), [who.User.Id, mayListen])
  useEffect(readAgainWhenFound, [])
  // Whoever opens it types at once.
  useEffect(() => void loadPalette(), [])
  useKeys(
    // biome-ignore lint/correctness/useExhaustiveDependencies: what somebody may do decides where they may go
    useMemo(() => everywhere(open, setOverlay), [who.Abilities.join()]),
    'everywhere',
  )
  useFocusOnArrival(place, path)
  return (
    <div className="shell">
      <a className="skip button" href="#main">
        {words.shell.skip}
      </a>
      <Rail places={open} current={place} onPalette={() => setOverlay('palette')} onKeys={() => setOverlay('keys')} />
      <div className="shell-content">
        <OfflineBar />
        <main className="main" id="main" tabIndex={-1} data-pending={isPending || undefined} aria-busy={isPending}>
          <Boundary at={path}>
            <Suspense fallback={<Waiting />}>
              {place ? (
                may(place.needs) ? (
                  <place.screen />
                ) : (
                  <NotYours place={place} />
                )
              ) : path === '/app' ? (
                <Waiting />
              ) : (
                <Nowhere />
              )}
            </Suspense>
          </Boundary>
        </main>
      </div>
      <PhoneTabs places={open} current={place} onPalette={() => setOverlay('palette')} />
      <Toasts />
      <SignInAgain />
      <Suspense>
        {overlay === 'palette' && (
          <Palette places={open} onClose={() => setOverlay(undefined)} onKeys={() => setOverlay('keys')} />
        )}
        {overlay === 'keys' && <KeyList onClose={() => setOverlay(undefined)} />}
      </Suspense>
    </div>
  )
}

const everywhere = (open: readonly Place[], show: (overlay: 'palette' | 'keys') => void): Binding[] => [
  ...open.map(({ keys, path, name }) => ({
    keys,
    name: words.shell.goTo(words.shell.place[name]),
    run: () => go(path),
  })),
  { keys: 'mod+k', name: words.shell.openPalette, run: () => show('palette') },
  { keys: '?', name: words.shell.showKeys, run: () => show('keys') },
  { keys: '/', name: words.ui.find, run: () => document.querySelector<HTMLElement>('[data-find]')?.focus() },
]

/** What failed while there was no connection is read again when there is one. */
function readAgainWhenFound() {
  const ask = () => readAgain('GET /session')
  addEventListener('online', ask)
  const stop = hearReach(() => {
    if (!isLost()) void cache.refetchQueries({ predicate: ({ state }) => state.status === 'error' })
  })
  return () => {
    removeEventListener('online', ask)
    stop()
  }
}

/** Another place is announced by its heading; within one the focus stays where it is. */
function useFocusOnArrival(place: Place | undefined, path: string) {
  const last = useRef<string>(undefined)
  useEffect(() => {
    const name = place?.name ?? path
    document.title = place ? `${words.shell.place[place.name]} · ${words.shell.product}` : words.shell.product
    if (last.current !== undefined && last.current !== name) document.getElementById('title')?.focus()
    last.current = name
  }, [place, path])
}

const toHome = () => (
  <LinkButton kind="main" href="/app/home">
    {words.shell.toHome}
  </LinkButton>
)

const Nowhere = () => (
  <>
    <Bar title={words.shell.nothingHere} />
    <Empty icon="question" title={words.shell.nothingHereWhy} action={toHome()} />
  </>
)

/** Which permission is missing, and who has it. */
function NotYours({ place }: { place: Place }) {
  const { User } = useWho()
  return (
    <>
      <Bar title={words.shell.place[place.name]} />
      <Locked ability={place.needs} role={User.Role} admins={useAdmins()} action={toHome()} />
    </>
  )
}
