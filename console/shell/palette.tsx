import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { Dialog } from '../ui/layers/dialog.tsx'
import { Icon } from '../ui/marks/icons.tsx'
import { Kbd } from '../ui/marks/kbd.tsx'
import { signOut } from '../wire/session.ts'
import { words } from '../words/words.ts'
import { boundKeys } from './keys.ts'
import { opens, type Place } from './places.ts'
import { rank } from './rank.ts'
import { go } from './router.ts'
import { switchTheme } from './theme.ts'
import { type Command, useThings } from './things.ts'

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
