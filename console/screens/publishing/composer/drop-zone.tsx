import { type ReactNode, useState } from 'react'
import { words } from '../../../words/words.ts'

interface DropZoneProps {
  onFiles: (files: readonly File[]) => void
  children: ReactNode
}

/** Files may be dropped anywhere on it. */
export function DropZone({ onFiles, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of several ways; the button is for keys
    <div
      className="composer"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        if (event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
      {isOver && <p className="composer-drop">{words.composer.drop}</p>}
    </div>
  )
}
