/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of epochs.pml: control/epoch_coordinator.cc.
 */

/* send_(): false when the node does not take its messages in. What is sent to a node that does not
 * run goes nowhere. */
inline tell(n, what, a1, a2, a3, a4) {
  if
  :: node[n].runs && len(to_node[n]) == QUEUE -> sent = 0
  :: node[n].runs && len(to_node[n]) < QUEUE -> to_node[n]!what, a1, a2, a3, a4; sent = 1
  :: else -> sent = 1
  fi
}

inline leave_behind(n) {
  known[n].in_sync = 0;
  known[n].retry_later = 1;
  known[n].phase = none
}

inline start_committing() {
  committing = 1;
  check_prepared();
  for (j : 0 .. NODES - 1) {
    if
    :: known[j].phase == prepared_ ->
       known[j].phase = committing_;
       tell(j, Commit, epoch_, content_, 0, 0);
       if
       :: !sent -> leave_behind(j)
       :: else
       fi
    :: else
    fi
  }
}

#define ANY_IN(p) (known[0].phase == p || known[1].phase == p || known[2].phase == p)
inline advance() {
  if
#ifdef MUTATION_COMMIT_EARLY
  :: transaction && !committing && (ANY_IN(prepared_) || !ANY_IN(preparing)) -> start_committing()
#else
  :: transaction && !committing && !ANY_IN(preparing) -> start_committing()
#endif
  :: else
  fi;
  if
  :: transaction && committing && !ANY_IN(committing_) ->
     transaction = 0; committing = 0;
     known[0].phase = none; known[1].phase = none; known[2].phase = none
  :: else
  fi
}

/* begin(base, delta, only_behind); the delta is from base_content to content_ */
inline begin() {
  transaction = 1; committing = 0;
  for (j : 0 .. NODES - 1) {
    if
    :: !known[j].up || (only_behind && known[j].in_sync) ||
       (!known[j].in_sync && known[j].retry_later)
    :: else ->
       any = known[j].in_sync && known[j].epoch == base;  /* takes_delta */
       known[j].in_sync = 0;
       known[j].phase = preparing;
       if
       :: any -> tell(j, Prepare, epoch_, content_, base, base_content)
       :: else -> tell(j, PrepareSnapshot, epoch_, content_, 0, 0)
       fi;
       if
       :: !sent -> leave_behind(j)
       :: else
       fi
    fi
  }
  advance()
}

inline learn(n) {
  if
  :: !recovering && e == epoch_ && c == content_ -> known[n].ours = e
  :: else ->
     if
     :: e != known[n].epoch || c != known[n].digest -> known[n].ours = 0
     :: else
     fi
  fi;
  known[n].epoch = e;
  known[n].digest = c
}

/* What a restart of the node may bring back, if it is of an epoch of ours. */
#ifdef MUTATION_NUMBER_ON_DISK_TRUSTED
#define IF_MADE(e1, c1) ((e1) <= epoch_ -> (e1) : 0)
#else
#define IF_MADE(e1, c1) (made[e1] == (c1) -> (e1) : 0)
#endif
inline learn_kept(n) {
  if
  :: KEEPS(n) -> known[n].kept = IF_MADE(b, bc)
  :: else
  fi
}

/* remember() */
inline remember() { made[epoch_] = content_ }

inline next_epoch(value) {
  if
  :: epoch_ > highest_seen -> value = epoch_ + 1
  :: else -> value = highest_seen + 1
  fi
}

inline see_epoch() {
  if
  :: e > highest_seen -> highest_seen = e
  :: else
  fi
}

inline on_hello(n) {
  known[n].up = 1;
  if
#ifndef MUTATION_NEW_BOOT_UNSEEN
  :: known[n].boot_id != b && transaction -> known[n].phase = none
#endif
  :: else
  fi;
  known[n].boot_id = b;
  known[n].kept = (KEEPS(n) -> 0 : KEEPS_NOTHING);
  learn(n);
  known[n].in_sync = !recovering && e == epoch_ && c == content_ && !transaction;
  see_epoch();
  tell(n, Welcome, 0, 0, 0, 0);
  advance()
}

inline on_status(n) {
  known[n].up = 1;
  see_epoch();
  learn_kept(n);
  if
  :: transaction && known[n].phase != none
  :: else ->
     learn(n);
     if
     :: !recovering && !transaction -> known[n].in_sync = (e == epoch_ && c == content_)
     :: else
     fi
  fi
}

inline on_prepared(n) {
  known[n].up = 1;
  if
  :: transaction && e == epoch_ && known[n].phase == preparing ->
     if
     :: c != content_ -> leave_behind(n)
     :: else -> known[n].phase = prepared_
     fi;
     advance()
  :: else
  fi
}

inline on_refused(n) {
  known[n].up = 1;
  if
  :: transaction && e == epoch_ && known[n].phase != none -> leave_behind(n); advance()
  :: else
  fi
}

inline on_committed(n) {
  known[n].up = 1;
  if
  :: transaction && e == epoch_ && known[n].phase == committing_ ->
     learn(n);
     known[n].in_sync = (c == content_);
     known[n].phase = done;
     advance()
  :: else
  fi
}

inline finish_recovery() {
  recovering = 0;
  asked = NODES;
  for (j : 0 .. NODES - 1) {
    any = (known[j].epoch == epoch_ && known[j].digest == content_);
    known[j].in_sync = (known[j].up && any);
    known[j].asked_in_vain = 0;
    if
    :: any -> known[j].ours = epoch_
    :: else
    fi
  }
}

inline on_node_snapshot(n) {
  known[n].up = 1;
  if
  :: recovering && asked == n ->
     content_ = c; epoch_ = e; took_over = 1;
     remember();
     restore();
     finish_recovery()
  :: else
  fi
}

/* recover(), when it is time: the listening is over, or all are up, or one was passed over */
inline recover() {
  asked = NODES; least = 0; any = 0;
  for (j : 0 .. NODES - 1) {
    any = any | known[j].asked_in_vain;
    if
    :: known[j].up && !known[j].asked_in_vain && known[j].epoch > least ->
       asked = j; least = known[j].epoch
    :: else
    fi
  }
  if
  :: asked == NODES && !any -> restore(); finish_recovery()
  :: asked == NODES && any ->
     known[0].asked_in_vain = 0; known[1].asked_in_vain = 0; known[2].asked_in_vain = 0
  :: asked != NODES -> tell(asked, SnapshotRequest, 0, 0, 0, 0)
  fi;
  least = 0
}

#ifdef MUTATION_NOBODY_PASSED_OVER
#define IN_VAIN 0
#else
#define IN_VAIN (recovering && asked < NODES && QUIET(asked))
#endif
inline pass_over() {
  known[asked].asked_in_vain = 1;
  asked = NODES
}

#ifdef MUTATION_NOBODY_BROUGHT_BACK
#define BEHIND(n) 0
#else
#define BEHIND(n) \
  (known[n].up && !known[n].in_sync && !known[n].retry_later && len(to_node[n]) < QUEUE)
#endif
#define RESYNCHRONISABLE (READY && (took_over || BEHIND(0) || BEHIND(1) || BEHIND(2)))
inline resynchronise() {
  ahead = (highest_seen > epoch_ || took_over);
  took_over = 0;
  base = epoch_; base_content = content_;
  if
  :: ahead -> next_epoch(next); epoch_ = next; remember()
  :: else
  fi;
  only_behind = !ahead;
  begin()
}
