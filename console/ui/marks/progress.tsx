import { words } from '../../words/words.ts'

/** How far something has come, from 0 to 1; without a part, that it goes on. */
export const Progress = ({ label, part }: { label: string; part?: number }) => (
  <progress className="progress" aria-label={label} max={1} value={part}>
    {part === undefined ? words.ui.loading : words.ui.progress(part)}
  </progress>
)
