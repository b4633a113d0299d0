/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of epochs.pml: control/fib_builder.cc and control/adjacency_indices.cc, as Controller::publish() calls them.
 */

/* The newest epoch that every node of the cluster, up or down, is known to have, also on disk. */
inline everywhere() {
  least = epoch_;
  for (j : 0 .. NODES - 1) {
    if
#ifdef MUTATION_DOWN_NODES_FORGOTTEN
    :: known[j].up && known[j].ours < least -> least = known[j].ours
#else
    :: known[j].ours < least -> least = known[j].ours
#endif
    :: else
    fi;
#ifndef MUTATION_DISKS_FORGOTTEN
    if
    :: known[j].kept < least -> least = known[j].kept
    :: else
    fi
#endif
  }
}

inline all_nodes_have() {
  everywhere();
  for (j : 0 .. INDICES - 1) {
    if
    :: resting[j] <= least -> resting[j] = 0
    :: else
    fi
  }
  least = 0
}

#define USED(k) (neighbor[0].index == k || neighbor[1].index == k)
#define WANTED(x) (neighbor[x].wanted || neighbor[x].stale)
#define WANTED_GROUP(x) (neighbor[x].wanted || neighbor[x].stale_group)
/* refresh_adjacency(): the lowest index that is free */
inline allocate(n) {
  k = 0;
  do
  :: k < INDICES && (USED(k) || resting[k] != 0) -> k++
  :: else -> break
  od;
  if
  :: k < INDICES ->
     check_unused(k);
     neighbor[n].index = k;
     if
     :: k >= ceiling -> ceiling = k + 1
     :: else
     fi
  :: else  /* its routes stay unresolved */
  fi
}

/* take_delta(): leaves the content that it leads to in `next`, and frees what has gone */
inline take_delta() {
  base = epoch_;
  next_epoch(e);
  next = content_;
  for (i : 0 .. 1) {
    if
    :: WANTED(i) && neighbor[i].index == NONE -> allocate(i)
    :: else
    fi
  }
  for (i : 0 .. 1) {
    k = neighbor[i].index;
    if
    :: k == NONE
    /* emit_groups(): only what is in the present FIB is named */
    :: k != NONE && WANTED(i) ->
#ifdef MUTATION_NAMED_AT_ONCE
       next = WITH(next, i, k + 1 + (WANTED_GROUP(i) -> 8 : 0))
#else
       next = WITH(next, i, k + 1 + (WANTED_GROUP(i) && PLACE(content_, i) == k + 1 -> 8 : 0))
#endif
    /* emit_adjacencies(): still named, goes later */
#ifndef MUTATION_GONE_AT_ONCE
    :: k != NONE && !WANTED(i) && NAMES(content_, i, k) -> next = WITH(next, i, k + 1)
    :: k != NONE && !WANTED(i) && !NAMES(content_, i, k) ->
#else
    :: k != NONE && !WANTED(i) ->
#endif
       next = WITH(next, i, 0);
       neighbor[i].index = NONE;
#ifndef MUTATION_NO_REST
       resting[k] = e
#endif
    fi
  }
}

/* changed(): there is something to do */
#define SETTLED(x) \
  (WANTED(x) -> neighbor[x].index != NONE && PLACE(content_, x) == neighbor[x].index + 1 && \
                NAMED(content_, x) == WANTED_GROUP(x) \
             : neighbor[x].index == NONE)
#define CHANGED (!SETTLED(0) || !SETTLED(1))
#ifdef MUTATION_DISKS_FORGOTTEN
#define KEPT(n, e1) 1
#else
#define KEPT(n, e1) (known[n].kept >= e1)
#endif
#define HAS(n, e1) (known[n].ours >= e1 && KEPT(n, e1))
#define EVERYWHERE(e1) (epoch_ >= e1 && HAS(0, e1) && HAS(1, e1) && HAS(2, e1))
#define FREE(k) (!USED(k) && EVERYWHERE(resting[k]))
#define CAN_CHANGE(x) \
  (!SETTLED(x) && (!WANTED(x) || neighbor[x].index != NONE || FREE(0) || FREE(1) || FREE(2) || FREE(3)))
#define PUBLISHABLE (CAN_CHANGE(0) || CAN_CHANGE(1))
#define READY (!recovering && !transaction)

/* Controller::publish() */
inline publish() {
  all_nodes_have();
  take_delta();
  if
  :: next != content_ ->
     base_content = content_;
     epoch_ = e; content_ = next; took_over = 0;
     remember();
     only_behind = 0;
     begin()
  :: else
  fi
}

/* restore(): what the nodes have stays as it is until it is named again or swept */
inline restore() {
  for (x : 0 .. 1) {
    neighbor[x].index = (PLACE(content_, x) != 0 -> PLACE(content_, x) - 1 : NONE);
    neighbor[x].stale = (PLACE(content_, x) != 0 && !neighbor[x].wanted);
    neighbor[x].stale_group = (NAMED(content_, x) && !neighbor[x].wanted)
  }
  next_epoch(e);
  for (k : 0 .. INDICES - 1) {
    if
#ifdef MUTATION_RESTART_FORGETS
    :: resting[k] = 0
#else
#ifdef MUTATION_RECOVERED_EPOCH_TRUSTED
    :: k < ceiling && !USED(k) -> resting[k] = epoch_
#else
    :: k < ceiling && !USED(k) -> resting[k] = e
#endif
    :: else -> resting[k] = 0
#endif
    fi
  }
  settled = 0
}
