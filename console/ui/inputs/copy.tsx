import { useState } from 'react'
import { words } from '../../words/words.ts'
import { Button } from './button.tsx'

/** Puts a text where it can be pasted, and says so. */
export function CopyButton({ text, label = words.ui.copy }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 2_000)
  }
  return (
    <Button kind="bare" icon={isCopied ? 'check' : 'copy'} onClick={() => void copy().catch(() => {})}>
      <span aria-live="polite">{isCopied ? words.ui.copied : label}</span>
    </Button>
  )
}

/** A text to take along, such as a secret that is shown once. */
export const Copy = ({ label, text }: { label: string; text: string }) => (
  <div className="copy">
    <label>
      <span className="frame-label">{label}</span>
      <input className="field copy-text" readOnly value={text} onFocus={(event) => event.target.select()} />
    </label>
    <CopyButton text={text} />
  </div>
)
