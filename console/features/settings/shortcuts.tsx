import { useState } from 'react'
import { formatList } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { customizeShortcut, useCustomizableShortcuts, useCustomShortcuts } from '@/shell/shortcuts.ts'
import { Button } from '@/ui/button.tsx'
import { Field } from '@/ui/field.tsx'
import { Kbd } from '@/ui/kbd.tsx'
import { SettingsGroup } from './section.tsx'
import * as styles from './settings.module.css'

/** Custom keyboard shortcuts of this browser. Shortcuts of a screen are listed after it was first opened. */
export function ShortcutSettings() {
  const chosen = useCustomShortcuts()
  const [isOpen, setIsOpen] = useState(false)
  const all = useCustomizableShortcuts()
  return (
    <SettingsGroup
      title={texts.settings.ownKeys}
      description={texts.settings.ownKeysWhy}
      actions={
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? texts.ui.hide : texts.settings.changeKeys(chosen.size)}
        </Button>
      }
    >
      {isOpen && (
        <ul className={styles.rows}>
          {all.map(({ keys, names, pressed }) => (
            <ShortcutRow key={keys} defaultKeys={keys} label={formatList(names)} pressed={pressed} />
          ))}
        </ul>
      )}
    </SettingsGroup>
  )
}

interface ShortcutRowProps {
  defaultKeys: string
  label: string
  pressed: string
}

function ShortcutRow({ defaultKeys, label, pressed }: ShortcutRowProps) {
  const [typed, setTyped] = useState(pressed)
  const [problem, setProblem] = useState<string>()
  const change = (keys: string) => {
    const outcome = customizeShortcut(defaultKeys, keys)
    setProblem(outcome === 'done' ? undefined : texts.settings.keysRefused[outcome])
    if (outcome === 'done') setTyped(keys.trim() || defaultKeys)
  }
  return (
    <li data-testid="settings-row" className={styles.row}>
      <div className={styles.rowText}>
        <b>{label}</b>
        <span className="muted">
          <Kbd keys={defaultKeys} />
          <span className="visually-hidden">{pressed}</span>
        </span>
      </div>
      <Field
        label={texts.settings.keysFor(label)}
        hideLabel
        value={typed}
        maxLength={3}
        autoComplete="off"
        autoCapitalize="off"
        error={problem}
        onChange={setTyped}
        onBlur={() => typed !== pressed && change(typed)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') change(typed)
        }}
      />
      {pressed !== defaultKeys && (
        <Button variant="ghost" onClick={() => change('')}>
          {texts.settings.usualKeys(defaultKeys)}
        </Button>
      )}
    </li>
  )
}
