import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react'
import { toggleTheme } from '@/api/preferences.ts'
import { useApiQuery } from '@/api/queries.ts'
import { signOut } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { navigate, useCanOpen } from '@/routes/router.ts'
import { idRoutes, type Route } from '@/routes/routes.ts'
import { Dialog } from '@/ui/dialog.tsx'
import { Icon, type IconName } from '@/ui/icons.tsx'
import { Kbd, SpokenKeys } from '@/ui/kbd.tsx'
import * as styles from './command-palette.module.css'
import { rank } from './rank.ts'
import { type ShortcutGroup, useActiveShortcuts, useSingleKeys } from './shortcuts.ts'

interface PaletteProps {
  routes: readonly Route[]
  onClose: () => void
  onShowShortcuts: () => void
}

/** Searches screens, actions of the current screen, entities of the account, and ids. */
export function CommandPalette({ routes, onClose, onShowShortcuts }: PaletteProps) {
  const [searchText, setSearchText] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const groups = useActiveShortcuts()
  const commands = useMemo(() => commandsOf(groups, routes, onShowShortcuts), [groups, routes, onShowShortcuts])
  const ranked = useMemo(
    () => [...idCommands(searchText), ...rank(commands, searchText, ({ name }) => name)],
    [commands, searchText],
  )
  const found = [...ranked, ...useSearchResults(searchText)]
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.run()
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step && event.key !== 'Enter') return
    event.preventDefault()
    if (step) setAt((at + step + found.length) % Math.max(found.length, 1))
    else run(found[at])
  }
  return (
    <Dialog title={texts.shell.palette} onClose={onClose} hideTitle data-testid="palette" className={styles.palette}>
      <input
        autoFocus
        className={styles.paletteField}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found[at] && `${id}-${at}`}
        aria-label={texts.shell.paletteField}
        autoComplete="off"
        placeholder={texts.shell.paletteHint}
        value={searchText}
        onChange={(event) => {
          setSearchText(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <div className={styles.paletteList} role="listbox" id={`${id}-list`} aria-label={texts.shell.palette}>
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles keys
          <div
            key={command.id ?? command.name}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            className={styles.paletteOption}
            aria-selected={index === at}
            ref={(element) => {
              if (index === at) element?.scrollIntoView({ block: 'nearest' })
            }}
            onPointerMove={() => setAt(index)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span dir="auto">{command.name}</span>
            {command.about && <small>{command.about}</small>}
            {command.keys && <Kbd keys={command.keys} />}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className={styles.paletteNone}>{texts.shell.noMatches}</p>}
    </Dialog>
  )
}

function commandsOf(
  groups: readonly ShortcutGroup[],
  routes: readonly Route[],
  onShowShortcuts: () => void,
): Command[] {
  const screenCommands = groups
    .filter(({ scope }) => scope === 'screen')
    .flatMap(({ bindings }) => bindings)
    .map(
      ({ name, keys, run }): Command => ({ name, keys, icon: 'forward', run: () => run(new KeyboardEvent('keydown')) }),
    )
  const toRoutes = routes.map(
    ({ name, icon, keys, path }): Command => ({
      name: texts.shell.goTo(texts.shell.screens[name]),
      icon,
      keys,
      run: () => navigate(path),
    }),
  )
  return [
    ...screenCommands,
    ...toRoutes,
    { name: texts.shell.switchTheme, icon: 'moon', run: toggleTheme },
    { name: texts.shell.signOut, icon: 'leave', run: () => void signOut() },
    { name: texts.shell.showKeys, icon: 'keyboard', keys: '?', run: onShowShortcuts },
  ]
}

/** Opens the entity of a pasted id. */
function idCommands(searchText: string): Command[] {
  const id = searchText.trim()
  if (!/^[\w-]{8,60}$/.test(id)) return []
  return idRoutes
    .filter(({ begins }) => id.startsWith(begins))
    .map(({ to }) => ({ name: texts.shell.openId(id), icon: 'forward', run: () => navigate(to(id)) }))
}

export interface Command {
  /** Required if several entries can have the same name. */
  id?: string
  name: string
  /** Type of the entity. */
  about?: string
  icon: IconName
  keys?: string
  run: () => void
}

/** Results per type. */
const limit = 5
/** Debounce in milliseconds. */
const pause = 150

/** Campaigns, files and users by name; posts come from the calendar, which has the fields that distinguish them. */
export function useSearchResults(searchText: string): Command[] {
  const text = useDelayed(searchText.trim())
  const isEnabled = text.length > 1
  const canOpen = useCanOpen()
  const finding = (path: string) => ({ enabled: isEnabled && canOpen(path) })
  const params = { q: text, _count: limit }
  const campaigns = useApiQuery('v2 GET /campaign', params, finding('/app/campaigns'))
  const files = useApiQuery('v2 GET /media', { q: text }, finding('/app/library'))
  const people = useApiQuery('v2 GET /user', { q: text }, finding('/app/people'))
  if (!isEnabled) return []
  const toCommand = (icon: Command['icon'], kind: string, id: string, name: string, to: string): Command => ({
    id,
    name,
    icon,
    about: kind,
    run: () => navigate(to),
  })
  const { screens } = texts.shell
  return [
    ...loadedItems(campaigns).map(({ Id, Name }) =>
      toCommand('campaigns', screens.campaigns, Id, Name, `/app/campaigns/${Id}`),
    ),
    ...loadedItems(files).map(({ Id, Name }) =>
      toCommand('media', screens.library, Id, Name, `/app/library?asset=${Id}`),
    ),
    ...loadedItems(people).map(({ Id, Name }) =>
      toCommand('people', screens.people, Id, Name, `/app/people?user=${Id}`),
    ),
    ...(canOpen('/app/calendar') ? [inCalendar(text)] : []),
  ]
}

const inCalendar = (text: string): Command => ({
  id: 'find',
  name: texts.shell.findPosts(text),
  icon: 'calendar',
  run: () => navigate(`/app/calendar?${new URLSearchParams({ view: 'list', find: text })}`),
})

/** Placeholder results of an earlier search are not shown. */
function loadedItems<Item>(query: {
  data?: { Items: readonly Item[] } | undefined
  isPlaceholderData: boolean
}): readonly Item[] {
  return query.isPlaceholderData ? [] : (query.data?.Items.slice(0, limit) ?? [])
}

/** A debounced value. */
function useDelayed(value: string): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), pause)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}

/** The active keyboard shortcuts. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const singleKeysEnabled = useSingleKeys()
  const groups = useActiveShortcuts()
  const sections = (['screen', 'everywhere'] as const)
    .map((scope) => ({
      scope,
      bindings: groups.filter((group) => group.scope === scope).flatMap(({ bindings }) => bindings),
    }))
    .filter(({ bindings }) => bindings.length > 0)
  return (
    <Dialog title={texts.shell.keys} onClose={onClose} data-testid="shortcut-list" className={styles.shortcutList}>
      {!singleKeysEnabled && <p className="muted">{texts.shell.singleKeysAreOff}</p>}
      {sections.map(({ scope, bindings }) => (
        <section key={scope}>
          <h3>{scope === 'screen' ? texts.shell.keysHere : texts.shell.keysEverywhere}</h3>
          <dl>
            {bindings.map(({ keys, name }) => (
              <div key={keys}>
                <dt>
                  <Kbd keys={keys} />
                  <SpokenKeys keys={keys} />
                </dt>
                <dd>{name}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
