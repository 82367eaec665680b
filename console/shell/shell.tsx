import { Component, lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { hearReach, isLost, useLostSince } from '@/api/call.ts'
import { openFeed } from '@/api/feed.ts'
import { cache, readAgain } from '@/api/queries.ts'
import { useAdmins, useMay, useWho } from '@/api/session.ts'
import { clock } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { go, tellPlaces, useAddress } from '@/routes/router.ts'
import { type Place, placeAt, places } from '@/routes/routes.ts'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Bar } from '@/ui/layout.tsx'
import { Empty, Locked, Waiting } from '@/ui/states.tsx'
import { Toasts } from '@/ui/toasts.tsx'
import { PhoneTabs, Rail } from './navigation.tsx'
import { type Binding, useKeys } from './shortcuts.ts'
import { SignInAgain } from './sign-in-again.tsx'

const loadPalette = () => import('./command-palette.tsx')
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))
const KeyList = lazy(async () => ({ default: (await loadPalette()).KeyList }))

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

/** Says since when the service does not answer, and what still goes on. */
function OfflineBar() {
  const since = useLostSince()
  return (
    <div role="status">
      {since !== undefined && (
        <p className="offline">
          <Icon name="warning" />
          {words.shell.lost(clock(since))}
        </p>
      )}
    </div>
  )
}

interface BoundaryProps {
  /** Another address is another try. */
  at: string
  children: ReactNode
}

/** What breaks takes only its own part along. A piece of the program that is not there any more means that there is a newer one. */
export class Boundary extends Component<BoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }

  static getDerivedStateFromError = (error: unknown) => ({ error })

  override componentDidUpdate({ at }: BoundaryProps) {
    if (at !== this.props.at && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    const isOld = /dynamically imported module|importing a module script/i.test(String(this.state.error))
    return (
      <Empty
        icon={isOld ? 'again' : 'warning'}
        title={isOld ? words.shell.newer : words.shell.broken}
        action={
          <Button kind="main" onClick={() => location.reload()}>
            {words.shell.loadAgain}
          </Button>
        }
      >
        {isOld ? words.shell.newerWhy : words.shell.brokenWhy}
      </Empty>
    )
  }
}
