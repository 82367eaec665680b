import { useState } from 'react'
import { words } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { type Composition, nameOf } from './composition.ts'
import type { Written } from './draft.ts'

interface DraftConflictProps {
  mine: Written
  theirs: Written
  onSettle: (whose: 'mine' | 'theirs') => void
  onClose: () => void
}

/** The same draft was written in two places. Both stay until one is chosen; who wants to look first closes the question, and finds it again. */
export function TwoDrafts(props: Omit<DraftConflictProps, 'onClose'>) {
  const [isAside, setIsAside] = useState(false)
  if (!isAside) return <DraftConflict {...props} onClose={() => setIsAside(true)} />
  return (
    <p className="together conflict-aside" data-changed role="status">
      {words.composer.twoDrafts}
      <Button onClick={() => setIsAside(false)}>{words.composer.lookWhat}</Button>
    </p>
  )
}

const DraftConflict = ({ mine, theirs, onSettle, onClose }: DraftConflictProps) => (
  <Dialog title={words.composer.twoDrafts} className="conflict" onClose={onClose}>
    <p>{words.composer.twoDraftsWhy}</p>
    <div className="conflict-sides">
      <Side name={words.composer.mine} text={nameOfAll(mine.composition)} />
      <Side name={words.composer.theirs} text={nameOfAll(theirs.composition)} />
    </div>
    <DialogActions>
      <Button onClick={() => onSettle('theirs')}>{words.composer.takeTheirs}</Button>
      <Button kind="main" onClick={() => onSettle('mine')}>
        {words.composer.keepMine}
      </Button>
    </DialogActions>
  </Dialog>
)

const nameOfAll = (composition: Composition) => composition.text || nameOf(composition)

const Side = ({ name, text }: { name: string; text: string }) => (
  <section>
    <h3>{name}</h3>
    <p className="conflict-text" dir="auto">
      {text || <span className="quiet">{words.composer.nothingWritten}</span>}
    </p>
  </section>
)
