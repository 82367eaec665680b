import { useState } from 'react'
import { list } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeableKeys, changeKeys, useChosenKeys } from '@/shell/shortcuts.ts'
import { Button } from '@/ui/button.tsx'
import { Field } from '@/ui/field.tsx'
import { Kbd } from '@/ui/kbd.tsx'
import { Group } from './section.tsx'

/** Other keys for what keys do, in this browser. Those of a screen stand here once somebody has been there. */
export function OwnKeys() {
  const chosen = useChosenKeys()
  const [isOpen, setIsOpen] = useState(false)
  const all = changeableKeys()
  return (
    <Group
      title={words.settings.ownKeys}
      why={words.settings.ownKeysWhy}
      actions={
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? words.ui.hide : words.settings.changeKeys(chosen.size)}
        </Button>
      }
    >
      {isOpen && (
        <ul className="settings-rows">
          {all.map(({ keys, names, pressed }) => (
            <OneKey key={keys} usual={keys} does={list(names)} pressed={pressed} />
          ))}
        </ul>
      )}
    </Group>
  )
}

interface OneKeyProps {
  usual: string
  does: string
  pressed: string
}

function OneKey({ usual, does, pressed }: OneKeyProps) {
  const [typed, setTyped] = useState(pressed)
  const [problem, setProblem] = useState<string>()
  const change = (keys: string) => {
    const outcome = changeKeys(usual, keys)
    setProblem(outcome === 'done' ? undefined : words.settings.keysRefused[outcome])
    if (outcome === 'done') setTyped(keys.trim() || usual)
  }
  return (
    <li className="settings-row">
      <div className="settings-what">
        <b>{does}</b>
        <span className="quiet">
          <Kbd keys={usual} />
          <span className="unseen">{pressed}</span>
        </span>
      </div>
      <Field
        label={words.settings.keysFor(does)}
        quietLabel
        value={typed}
        maxLength={3}
        autoComplete="off"
        autoCapitalize="off"
        problem={problem}
        onChange={setTyped}
        onBlur={() => typed !== pressed && change(typed)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') change(typed)
        }}
      />
      {pressed !== usual && (
        <Button kind="bare" onClick={() => change('')}>
          {words.settings.usualKeys(usual)}
        </Button>
      )}
    </li>
  )
}
