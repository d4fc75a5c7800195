#!/bin/sh
# A pazaak bot in POSIX shell: stands at 17 (or at RISK), mends and betters its total with a card,
# and draws on while it is behind one who stands. See ../bot-interface.md.
#
#     pazaak play --bot "cmd:protocol/examples/bot.sh"
#     pazaak play --bot "cmd,risk=18:protocol/examples/bot.sh"

risk=17

# The greeting: what is to be set, up to "end".
while read -r key name value; do
    case $key in
    pazaak-bot) [ "$name" = 1 ] || { echo "error I speak version 1"; exit 1; } ;;
    set)
        case $name=$value in
        risk=[0-9] | risk=1[0-9] | risk=20) risk=$value ;;
        *) echo "error the only option is risk, from 0 to 20"; exit 1 ;;
        esac ;;
    end) break ;;
    esac
done
printf '%s\n' "pazaak-bot 1" "name Shell example" "version 1" "option risk $risk" ready

# Takes a question's lines, and decides at its end.
while read -r key a b c d; do
    case $key in
    choose) number=$a stand='' end='' best='' best_total=0 first='' ;;
    my-total) total=$a ;;
    their-total) theirs=$a ;;
    their-stands) they_stand=$a ;;
    action)
        # a is the number of the action, b its kind; with "play", d is "VALUE TOTAL".
        [ -n "$first" ] || first=$a
        case $b in
        end | pass) end=$a ;;
        stand) stand=$a ;;
        play)
            made=${d#* }
            if [ "$made" -le 20 ] && [ "$made" -gt "$best_total" ]; then
                best=$a best_total=$made
            fi ;;
        esac ;;
    end)
        [ -n "$number" ] || continue # it was a "begin" or an "over", which wants no answer
        goal=$risk
        [ "$they_stand" = yes ] && goal=$((theirs + 1))
        if [ -z "$stand" ]; then
            answer=$first # at a tie: lay the tiebreaker, if there is one
        elif [ "$total" -le 20 ] && [ "$total" -ge "$goal" ]; then
            answer=$stand
        elif [ -n "$best" ] && { [ "$total" -gt 20 ] || [ "$best_total" -ge "$goal" ]; }; then
            answer=$best
        else
            answer=$end
        fi
        echo "act $number $answer"
        number='' ;;
    quit) exit 0 ;;
    error) echo "the other side says: $a $b $c $d" >&2; exit 1 ;;
    esac
done
