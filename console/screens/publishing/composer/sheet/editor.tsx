import { type ClipboardEvent, Fragment, type RefObject } from 'react'
import { words } from '../../../../words/words.ts'

interface EditorProps {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  describedBy: string
  value: string
  /** From here on it is too much. */
  cut: number
  isWrong: boolean
  onChange: (text: string) => void
  onFiles: (files: readonly File[]) => void
}

/** A plain text area, so that writing, undoing, spelling, dictation and reading aloud work as everywhere; a copy behind it has the colours. */
export function Editor({ field, label, describedBy, value, cut, isWrong, onChange, onFiles }: EditorProps) {
  const paste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files]
    // What is copied from documents has a picture of its words beside them.
    if (files.length === 0 || event.clipboardData.types.includes('text/plain')) return
    event.preventDefault()
    onFiles(files)
  }
  return (
    <div className="editor">
      <div className="editor-copy" aria-hidden="true" dir="auto">
        <Marked text={value} cut={cut} />
        {'\n'}
      </div>
      <textarea
        ref={field}
        dir="auto"
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        placeholder={words.composer.placeholder}
        value={value}
        spellCheck
        onChange={(event) => onChange(event.target.value)}
        onPaste={paste}
      />
    </div>
  )
}

/** Addresses, mentions and hashtags. */
export const special = /(https?:\/\/\S+|[@#][\p{L}\p{N}_.]+)/u

/** A text in which they stand out, and what is too much of it. */
function Marked({ text, cut }: { text: string; cut: number }) {
  let at = 0
  return text.split(special).map((part, index) => {
    const within = Math.max(0, Math.min(part.length, cut - at))
    at += part.length
    const shown =
      within === part.length ? (
        part
      ) : (
        <>
          {part.slice(0, within)}
          <span className="editor-beyond">{part.slice(within)}</span>
        </>
      )
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no names
    return index % 2 ? <em key={index}>{shown}</em> : <Fragment key={index}>{shown}</Fragment>
  })
}

/** A text in which they stand out. */
export const Coloured = ({ text, shown = (part) => part }: { text: string; shown?: (part: string) => string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no names
  text.split(special).map((part, index) => (index % 2 ? <em key={index}>{shown(part)}</em> : part))
