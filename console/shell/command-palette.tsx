import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react'
import { switchTheme } from '@/api/preferences.ts'
import { useCall } from '@/api/queries.ts'
import { signOut } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { go, leadsSomewhere } from '@/routes/router.ts'
import { opens, type Place } from '@/routes/routes.ts'
import { Dialog } from '@/ui/dialog.tsx'
import { Icon, type IconName } from '@/ui/icons.tsx'
import { Kbd, spokenKeys } from '@/ui/kbd.tsx'
import { rank } from './rank.ts'
import { boundKeys, useLetters } from './shortcuts.ts'

interface PaletteProps {
  places: readonly Place[]
  onClose: () => void
  onKeys: () => void
}

/** Everything by name: places, what this screen can do, what is in the account, and whatever has an id. */
export function Palette({ places, onClose, onKeys }: PaletteProps) {
  const [wanted, setWanted] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const commands = useMemo(() => commandsOf(places, onKeys), [places, onKeys])
  const ranked = useMemo(
    () => [...idCommands(wanted), ...rank(commands, wanted, ({ name }) => name)],
    [commands, wanted],
  )
  const found = [...ranked, ...useThings(wanted)]
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
    <Dialog title={words.shell.palette} onClose={onClose} quietTitle className="palette">
      <input
        autoFocus
        className="palette-field"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found[at] && `${id}-${at}`}
        aria-label={words.shell.paletteField}
        autoComplete="off"
        placeholder={words.shell.paletteHint}
        value={wanted}
        onChange={(event) => {
          setWanted(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <div className="palette-list" role="listbox" id={`${id}-list`} aria-label={words.shell.palette}>
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the field, which keeps the focus
          <div
            key={command.id ?? command.name}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            className="palette-option"
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
      {found.length === 0 && <p className="palette-none">{words.shell.nothingCalledThat}</p>}
    </Dialog>
  )
}

function commandsOf(places: readonly Place[], onKeys: () => void): Command[] {
  const ofScreen = boundKeys()
    .filter(({ scope }) => scope === 'screen')
    .flatMap(({ bindings }) => bindings)
    .map(
      ({ name, keys, run }): Command => ({ name, keys, icon: 'forward', run: () => run(new KeyboardEvent('keydown')) }),
    )
  const toPlaces = places.map(
    ({ name, icon, keys, path }): Command => ({
      name: words.shell.goTo(words.shell.place[name]),
      icon,
      keys,
      run: () => go(path),
    }),
  )
  return [
    ...ofScreen,
    ...toPlaces,
    { name: words.shell.switchTheme, icon: 'moon', run: switchTheme },
    { name: words.shell.signOut, icon: 'leave', run: () => void signOut() },
    { name: words.shell.showKeys, icon: 'keyboard', keys: '?', run: onKeys },
  ]
}

/** A pasted id leads to its thing. */
function idCommands(wanted: string): Command[] {
  const id = wanted.trim()
  if (!/^[\w-]{8,60}$/.test(id)) return []
  return opens
    .filter(({ begins }) => id.startsWith(begins))
    .map(({ to }) => ({ name: words.shell.openId(id), icon: 'forward', run: () => go(to(id)) }))
}

/** A line of the palette. */
export interface Command {
  /** Where several may have the same name. */
  id?: string
  name: string
  /** What kind of thing it is. */
  about?: string
  icon: IconName
  keys?: string
  run: () => void
}

/** As many of each kind as are looked through at a glance. */
const most = 5
/** In milliseconds: whoever types a word means the word, not each of its letters. */
const pause = 150

/** What in the account is called like this: campaigns, files, people; and posts by the calendar, which has all that tells them apart. */
export function useThings(wanted: string): Command[] {
  const text = usePaused(wanted.trim())
  const isAsked = text.length > 1
  const finding = (path: string) => ({ enabled: isAsked && leadsSomewhere(path) })
  const asked = { q: text, _count: most }
  const campaigns = useCall('v2 GET /campaign', asked, finding('/app/campaigns'))
  const files = useCall('v2 GET /media', { q: text }, finding('/app/library'))
  const people = useCall('v2 GET /user', { q: text }, finding('/app/people'))
  if (!isAsked) return []
  const thing = (icon: Command['icon'], kind: string, id: string, name: string, to: string): Command => ({
    id,
    name,
    icon,
    about: kind,
    run: () => go(to),
  })
  const { place } = words.shell
  return [
    ...shown(campaigns).map(({ Id, Name }) => thing('campaigns', place.campaigns, Id, Name, `/app/campaigns/${Id}`)),
    ...shown(files).map(({ Id, Name }) => thing('media', place.library, Id, Name, `/app/library?asset=${Id}`)),
    ...shown(people).map(({ Id, Name }) => thing('people', place.people, Id, Name, `/app/people?user=${Id}`)),
    ...(leadsSomewhere('/app/calendar') ? [inCalendar(text)] : []),
  ]
}

const inCalendar = (text: string): Command => ({
  id: 'find',
  name: words.shell.findPosts(text),
  icon: 'calendar',
  run: () => go(`/app/calendar?${new URLSearchParams({ view: 'list', find: text })}`),
})

/** What was found for other words is no answer. */
function shown<Item>(query: {
  data?: { Items: readonly Item[] } | undefined
  isPlaceholderData: boolean
}): readonly Item[] {
  return query.isPlaceholderData ? [] : (query.data?.Items.slice(0, most) ?? [])
}

/** A value once it has stood for a moment. */
function usePaused(value: string): string {
  const [stands, setStands] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setStands(value), pause)
    return () => clearTimeout(timer)
  }, [value])
  return stands
}

/** The keys that act now. */
export function KeyList({ onClose }: { onClose: () => void }) {
  const areLettersOn = useLetters()
  const groups = boundKeys()
  const sections = (['screen', 'everywhere'] as const)
    .map((scope) => ({
      scope,
      bindings: groups.filter((group) => group.scope === scope).flatMap(({ bindings }) => bindings),
    }))
    .filter(({ bindings }) => bindings.length > 0)
  return (
    <Dialog title={words.shell.keys} onClose={onClose} className="key-list">
      {!areLettersOn && <p className="quiet">{words.shell.lettersAreOff}</p>}
      {sections.map(({ scope, bindings }) => (
        <section key={scope}>
          <h3>{scope === 'screen' ? words.shell.keysHere : words.shell.keysEverywhere}</h3>
          <dl>
            {bindings.map(({ keys, name }) => (
              <div key={keys}>
                <dt>
                  <Kbd keys={keys} />
                  <span className="unseen">{spokenKeys(keys)}</span>
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
